/** What somebody would try who had broken out of a parser or a shell. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'
import { Worker } from 'node:worker_threads'

const megabyte = new Uint8Array(1024 * 1024)

const attempts: Record<string, () => unknown> = {
  echo: () => input.more,
  'read a file of the host': () => readFileSync('/etc/passwd', 'utf8'),
  'read this repository': () =>
    readFileSync(path.resolve(import.meta.dirname, '../../../../src/main.ts'), 'utf8'),
  'write a file': () => writeFileSync(path.join(tmpdir(), 'kherad-hostile'), 'x'),
  'write beside itself': () => writeFileSync(path.join(import.meta.dirname, 'left.txt'), 'x'),
  'start a program': () => spawnSync('/bin/echo', ['x'], { encoding: 'utf8' }).stdout,
  'start a thread': () => new Worker('1', { eval: true }).threadId,
  'load native code': () => process.dlopen({ exports: {} } as NodeJS.Module, '/lib/x.node'),
  'make code of text': () => new Function('return 1')(),
  environment: () => process.env,
  'call somebody': async () => {
    await once(createConnection(input.more as number, '127.0.0.1'), 'connect')
    return 'connected'
  },
  'read what it is given': () => readFileSync(input.more as string, 'utf8'),
  'write what it is given': () => writeFileSync(input.more as string, 'x'),
  'write and read its scratch folder': () => {
    const file = path.join(process.argv[2]!, 'note.txt')
    writeFileSync(file, 'kept for a moment')
    return [readFileSync(file, 'utf8'), readdirSync(process.argv[2]!)]
  },
  'fill its scratch folder with one file': () => {
    for (;;) writeFileSync(path.join(process.argv[2]!, 'one'), megabyte, { flag: 'a' })
  },
  'fill its scratch folder with many files': () => {
    for (let at = 0; ; at += 1) writeFileSync(path.join(process.argv[2]!, String(at % 64)), megabyte)
  },
  'hold memory': () => new Uint8Array(Number(input.more) * 1024 * 1024).fill(1).length,
  'tell who it is': () => process.getuid?.(),
  'take all memory of JavaScript': () => {
    const held: unknown[] = []
    for (;;) held.push({ held: held.length })
  },
  'take all memory of buffers': () => {
    const held: Uint8Array[] = []
    for (;;) held.push(new Uint8Array(64 * 1024 * 1024).fill(1))
  },
  'work for ever': () => {
    for (;;);
  },
  'say too much': () => 'x'.repeat(200_000),
  'say nonsense': () => {
    process.stdout.write('{')
    process.exit(0)
  },
  'die at once': () => process.exit(3),
}

const input = deserialize(await buffer(process.stdin)) as { attempt: string; more?: unknown }
let answer: unknown
try {
  answer = { got: await attempts[input.attempt]!() }
} catch (error) {
  answer = { refused: (error as { code?: string }).code ?? (error as Error).name }
}
process.stdout.write(JSON.stringify(answer), () => process.exit(0))

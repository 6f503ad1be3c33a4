import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { compileCache } from '../harness/processes.ts'

export interface Ran {
  code: number | null
  out: string
  err: string
  /** What `--json` printed, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  json: any
}

export const launcher = path.resolve(import.meta.dirname, '../../cli/kherad.mjs')

/** Runs the CLI as an operator would, with only this environment, far from any configuration file. */
export const kherad = (env: Record<string, string>, ...words: string[]): Promise<Ran> =>
  ended(start(env, words), words)

/** Starts it in a folder, with standard input if there is any. */
export function start(
  env: Record<string, string>,
  words: readonly string[],
  { cwd = tmpdir(), input }: { cwd?: string; input?: AsyncIterable<string> | Iterable<string> } = {},
): ChildProcessByStdio<Writable | null, Readable, Readable> {
  const child = spawn(process.execPath, [launcher, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], ...compileCache, ...env },
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  // It may leave before it has read everything.
  if (input) pipeline(Readable.from(input), child.stdin!).catch(() => undefined)
  return child as ChildProcessByStdio<Writable | null, Readable, Readable>
}

export async function ended(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
  words: readonly string[],
): Promise<Ran> {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const asked = words.includes('--json') && out !== ''
  return { code, out, err, json: asked ? JSON.parse(out) : undefined }
}

/** Runs a command that has to succeed quietly, and answers its JSON document. */
export async function done(env: Record<string, string>, ...words: string[]): Promise<Ran['json']> {
  const ran = await kherad(env, ...words, '--json')
  if (ran.code !== 0 || ran.err !== '') throw new Error(`kherad ${words.join(' ')}: ${ran.code} ${ran.err}`)
  return ran.json
}

/** Runs a command that has to be refused, and answers its exit code and its error. */
export async function refused(
  env: Record<string, string>,
  ...words: string[]
): Promise<{ exit: number | null; code: string; message: string }> {
  const ran = await kherad(env, ...words, '--json')
  if (ran.out !== '') throw new Error(`kherad ${words.join(' ')} said ${ran.out}`)
  const { error } = JSON.parse(ran.err) as { error: { code: string; message: string } }
  return { exit: ran.code, ...error }
}

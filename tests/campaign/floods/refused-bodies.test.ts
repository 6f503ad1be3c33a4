/** A body that is refused is not kept in memory, and does its connection no harm. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import { requestOf, Wire } from '../../contract/wire.ts'
import { collectGarbage } from '../../harness/collect-garbage.ts'
import { until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'

const path = '/v1/chat/completions'
const hello = '{"messages":[{"role":"user","content":"hello"}]}'

/** Memory in use after everything unused is collected. */
function bytesInUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

let world: World
beforeAll(async () => {
  world = await boot()
})
afterAll(() => world[Symbol.asyncDispose]())

test.each([
  ['declared', false],
  ['in chunks', true],
] as const)('one of 100 MB, %s', async (_, chunked) => {
  const { secret } = await world.key()
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const piece = Buffer.alloc(1_048_576, 0x20)
  await using wire = await Wire.open(world.url)
  const length = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(100 * piece.length) }
  const lines = Object.entries({ host: 'test', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  await wire.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const before = bytesInUse()
  for (let i = 0; i < 100; i++) {
    if (chunked) await wire.write(`${piece.length.toString(16)}\r\n`)
    await wire.write(piece)
    if (chunked) await wire.write('\r\n')
    // What is on its way is freed within moments; what is kept stays.
    if (i % 20 === 19) await until(async () => bytesInUse() - before < 20 * 1_048_576)
  }
  if (chunked) await wire.write('0\r\n\r\n')
  expectRefusal(await wire.next(), { status: 413, code: 'BODY_TOO_LARGE' })
  await wire.write(requestOf('POST', path, headers, hello))
  expect((await wire.next()).status).toBe(200)
})

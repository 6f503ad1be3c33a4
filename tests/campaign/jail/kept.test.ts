/** How long processes of functions are kept, and what says that they run without a jail. */
import { expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { openFreeRuntime } from './free-runtime.ts'

/** Answers which process it is in. */
const born = `let born
export default { fetch() { born ??= crypto.randomUUID(); return new Response(born) } }`

test('a process that nobody calls ends after its time, and the next call finds a new one', async () => {
  await using runtime = openFreeRuntime({ idleMs: 200 })
  const cloud = runtime.cloudOf(born)
  const first = await cloud.answer()
  await until(async () => (await runtime.processes()) === 0)
  expect(await cloud.answer()).not.toBe(first)
})

test('where there are as many as may be, the cloud that was called longest ago makes way', async () => {
  await using runtime = openFreeRuntime({ processes: 2 })
  const [one, two, three] = [runtime.cloudOf(born), runtime.cloudOf(born), runtime.cloudOf(born)]
  const ones = await one.answer()
  const twos = await two.answer()
  expect(await one.answer()).toBe(ones)
  await three.answer()
  await until(async () => (await runtime.processes()) === 2)
  expect(await one.answer()).toBe(ones)
  expect(await two.answer()).not.toBe(twos)
})

test('a call that takes longer than its own time is broken off alone, and its process goes on', async () => {
  await using runtime = openFreeRuntime({ ownMs: 1_000 })
  const cloud = runtime.cloudOf(`let born
export default { fetch(request) {
  born ??= crypto.randomUUID()
  return request.method === 'POST' ? new Promise((resolve) => setTimeout(resolve, 60_000)) : new Response(born)
} }`)
  // A start belongs to the time of the first call, and a busy machine takes longer for one.
  const answered = () =>
    until(() =>
      cloud.answer().catch((error: { code?: string }) => {
        if (error.code !== 'FUNCTION_TIMEOUT') throw error
        return undefined
      }),
    )
  const first = await answered()
  await expect(cloud.answer(0, Buffer.from('x'))).rejects.toMatchObject({
    code: 'FUNCTION_TIMEOUT',
    detail: { seconds: 1 },
  })
  expect(await answered()).toBe(first)
})

test('without a jail the start warns, and every line that a function writes says so', async () => {
  await using runtime = openFreeRuntime()
  expect(runtime.warnings).toEqual([[{ functions: 'unsafe_dev' }, expect.stringContaining('WITHOUT A JAIL')]])
  await runtime.answer(
    'export default { fetch() { console.log("one\\ntwo"); console.error("three"); console.debug(""); return new Response("done") } }',
  )
  await until(() => runtime.lines.length === 3)
  expect(runtime.lines.map(({ message }) => message)).toEqual([
    '[unsafe_dev] one\ntwo',
    '[unsafe_dev] three',
    '[unsafe_dev] ',
  ])
})

import { expect, test } from 'vitest'
import { compileSteps } from '#platform/http'
import { routes } from './capabilities.ts'
import { warmUp } from './warm.ts'

const left = (): number => routes.flatMap((route) => [...compileSteps(route)]).length

/** A log that keeps what warming reports at its end. */
function fakeLog() {
  const logged: { steps: number }[] = []
  return { said: logged, log: { debug: (fields: { steps: number }) => void logged.push(fields) } as never }
}

test('routes compile nothing by being there; warming compiles everything once, and can be ended', async () => {
  const all = left()
  expect(all).toBeGreaterThan(50)
  const ended = fakeLog()
  await warmUp(routes, ended.log, AbortSignal.abort())
  expect([left(), ended.said]).toEqual([all, []])

  // The rows of a batch are checked by the same compiled units as messages.
  const stepsOf = (name: string) => [...compileSteps(routes.find(({ operation }) => operation === name)!)]
  expect(stepsOf('batches.create').length).toBeGreaterThan(30)
  for (const { run } of stepsOf('messages.create')) run()
  expect(stepsOf('batches.create').length).toBeLessThanOrEqual(3)

  const { said, log } = fakeLog()
  const some = left()
  await warmUp(routes, log, new AbortController().signal)
  expect(left()).toBe(0)
  expect(said[0]!.steps).toBeLessThanOrEqual(some)
  await warmUp(routes, log, new AbortController().signal)
  expect(said[1]!.steps).toBe(0)
})

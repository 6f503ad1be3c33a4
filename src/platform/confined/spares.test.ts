import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Spares } from './spares.ts'

test('a process whose time is over is given to nobody, though its end is not heard yet', async () => {
  const spares = new Spares(20)
  const child = spawn('sleep', ['60'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const end = Promise.withResolvers<unknown>()
  const kill = child.kill.bind(child)
  child.kill = (signal) => {
    end.resolve(spares.take('kind'))
    return kill(signal)
  }
  spares.keep('kind', () => child)
  child.ref()
  const ended = once(child, 'exit')
  expect(await end.promise).toBeUndefined()
  await ended
})

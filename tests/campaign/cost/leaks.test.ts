/** After every kind of failure nothing keeps running in the process. Alone in its file, since it counts resources of the whole process. */
import { expect, test } from 'vitest'
import { bootConduct, hastyWith } from '../../conduct/conduct-world.ts'
import { until } from '../../harness/until.ts'
import { answer, chunk, cut, json, reset, silence, stall, stream } from '../../harness/upstream.ts'

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

test('forty failed, cut, rescued and abandoned calls leave no timer and no socket behind', async () => {
  await using at = await bootConduct({
    models: [
      { id: 'test/model', deployments: [{ on: 'primary' }], fallbacks: ['test/backup'], resume: 'restart' },
      { id: 'test/backup', deployments: [{ on: 'backup' }] },
    ],
    timeouts: hastyWith('primary', { first_byte_ms: 150, first_token_ms: 150, idle_ms: 150 }),
  })
  await at.isWellAgain('test/model')
  const quiet = { timers: timers(), sockets: sockets() }
  const faults = [
    json(500, ''),
    reset,
    silence,
    stream([stall]),
    stream([chunk({ content: 'one' }), cut]),
    stream([chunk({ content: 'one' }), stall]),
    stream(['data: {\n\n', 'data: {\n\n']),
    json(429, {}, { 'retry-after-ms': '1' }),
  ]
  for (const fault of faults) {
    at.on('primary').reply(fault)
    await Promise.all([true, true, false, false].map((streamed) => at.ask('test/model', streamed)))
    const leaving = new AbortController()
    at.on('primary').reply(silence)
    const position = at.on('primary').calls.length
    const backed = at.on('backup').calls.length
    at.on('backup').reply(silence)
    const left = at.key
      .raw('POST', '/v1/chat/completions', question, {}, leaving.signal)
      .catch(() => undefined)
    await Promise.race([at.on('primary').call(position), at.on('backup').call(backed)])
    leaving.abort()
    await left
    at.on('backup').reply(answer())
  }
  await at.world.settled()
  await at.isWellAgain('test/model', { idle: 4 })
  await until(() => timers() <= quiet.timers)
  // Idle connections are kept, at most as many as there were calls at a time, at both ends in this process.
  await until(() => sockets() <= quiet.sockets + 2 * 2 * 5)
  expect(at.world.violations).toEqual([])
})

const question = JSON.stringify({
  model: 'test/model',
  stream: true,
  messages: [{ role: 'user', content: 'hello' }],
})

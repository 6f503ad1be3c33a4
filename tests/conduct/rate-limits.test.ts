/** Upstreams whose rate limit lasts longer than a call would wait. */
import { describe, expect, test } from 'vitest'
import { answer, json } from '../harness/upstream.ts'
import { MovableClock } from '../harness/world.ts'
import { bootConduct, outcomesOf } from './conduct-world.ts'

const limited = (headers: Record<string, string>) => json(429, { error: { message: 'slow down' } }, headers)

describe.concurrent('a rate limit', () => {
  // A date has whole seconds and is read against the clock of this machine: one of them and what it takes to arrive are lost.
  test.each([
    ['in seconds', () => ({ 'retry-after': '40' }), 39_999],
    ['in milliseconds', () => ({ 'retry-after-ms': '40000' }), 39_999],
    ['as a date', () => ({ 'retry-after': new Date(Date.now() + 40_000).toUTCString() }), 30_000],
  ])(
    'of 40 s, given %s, rests the deployment for that time and is not waited for',
    async (_, headers, restMs) => {
      const clock = new MovableClock()
      await using at = await bootConduct({
        clock,
        models: [
          {
            id: 'test/model',
            deployments: [
              { on: 'first', priority: 0 },
              { on: 'second', priority: 1 },
            ],
          },
        ],
      })
      at.on('first').reply(() => limited(headers()))
      const got = await at.ask('test/model', true)
      expect(got).toMatchObject({ status: 200, models: ['test/model'] })
      expect(outcomesOf(got)).toEqual(['rate_limited', 'answered'])
      expect(got.receipt.details.attempts.map(({ deployment }) => deployment)).toEqual([
        'first/upstream-model',
        'second/upstream-model',
      ])

      at.on('first').reply(answer())
      clock.moveMs(restMs)
      for (const streamed of [false, true]) await at.ask('test/model', streamed)
      expect(at.on('first').calls).toHaveLength(1)
      expect(at.on('second').calls).toHaveLength(3)

      clock.moveMs(40_000 - restMs)
      expect(outcomesOf(await at.ask('test/model', false))).toEqual(['answered'])
      expect(at.on('first').calls).toHaveLength(2)
      await at.isWellAgain('test/model')
    },
  )

  test.each([false, true])(
    'on every candidate is reported with the shortest wait, and nobody is asked meanwhile (streamed: %s)',
    async (streamed) => {
      const clock = new MovableClock()
      await using at = await bootConduct({
        clock,
        models: [
          { id: 'test/model', deployments: [{ on: 'first' }], fallbacks: ['test/backup'] },
          { id: 'test/backup', deployments: [{ on: 'backup' }] },
        ],
      })
      at.on('first').reply(limited({ 'retry-after': '90' }))
      at.on('backup').reply(limited({ 'retry-after': '12' }))
      const refused = { status: 429, error: { code: 'UPSTREAM_RATE_LIMITED', type: 'rate_limit_error' } }
      const first = await at.ask('test/model', streamed)
      expect(first).toMatchObject(refused)
      expect([first.headers.get('retry-after'), first.headers.get('retry-after-ms')]).toEqual(['12', '12000'])
      expect(outcomesOf(first)).toEqual(['rate_limited', 'rate_limited'])

      clock.moveMs(5_000)
      const second = await at.ask('test/model', streamed)
      expect(second).toMatchObject(refused)
      expect(second.headers.get('retry-after-ms')).toBe('7000')
      expect(outcomesOf(second)).toEqual([])
      expect(second.receipt).toMatchObject({ state: 'failed', status_code: 429, microcredits: '0' })
      expect([at.on('first').calls.length, at.on('backup').calls.length]).toEqual([1, 1])

      clock.moveMs(7_000)
      at.on('backup').reply(answer('served meanwhile'))
      expect(await at.ask('test/model', streamed)).toMatchObject({ status: 200, models: ['test/backup'] })
      clock.moveMs(78_000)
      at.on('first').reply(answer('at home again'))
      expect(await at.ask('test/model', streamed)).toMatchObject({ status: 200, models: ['test/model'] })
      await at.isWellAgain('test/model')
    },
  )
})

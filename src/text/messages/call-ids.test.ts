import { expect, test } from 'vitest'
import { callId, UpstreamCallIds } from './call-ids.ts'

test('an upstream of another wire gets its own id back, also in conversations that have the older prefix', () => {
  const own = (id: string): string => new UpstreamCallIds().of(id)
  for (const id of ['D681PevKs', 'call_a', 'functions.f:0']) {
    expect(callId(id)).toBe(`toolu_x_${id}`)
    expect(own(callId(id))).toBe(id)
    expect(own(`toolu_${id}`)).toBe(id)
  }
  expect(['toolu_', 'toolu_x_', 'call_a'].map(own)).toEqual(['toolu_', 'x_', 'call_a'])
  expect(callId('toolu_01a')).toBe('toolu_01a')
})

test.each([
  [
    ['toolu_1', 'toolu_2', 'toolu_1'],
    ['1', '2', '1'],
  ],
  [
    ['toolu_1', '1'],
    ['1', 'toolu_1'],
  ],
  [
    ['1', 'toolu_1'],
    ['1', 'toolu_1'],
  ],
  [
    ['toolu_1', '1', 'toolu_toolu_1', 'srvtoolu_kherad_1'],
    ['1', 'toolu_1', 'toolu_toolu_1', 'toolu_toolu_toolu_1'],
  ],
  [
    ['srvtoolu_kherad_call_1', 'toolu_call_1', 'srvtoolu_2'],
    ['call_1', 'toolu_call_1', 'srvtoolu_2'],
  ],
])('the ids %j are %j upstream', (ids, upstream) => {
  const known = new UpstreamCallIds()
  expect(ids.map((id) => known.of(id))).toEqual(upstream)
  expect(ids.map((id) => known.of(id))).toEqual(upstream)
})

import { expect, test } from 'vitest'
import { callId, upstreamCallId } from './call-ids.ts'

test('an upstream of another wire gets its own id back, also in conversations that have the older prefix', () => {
  for (const id of ['D681PevKs', 'call_a', 'functions.f:0']) {
    expect(callId(id)).toBe(`toolu_x_${id}`)
    expect(upstreamCallId(callId(id))).toBe(id)
    expect(upstreamCallId(`toolu_${id}`)).toBe(id)
  }
  expect(['toolu_', 'toolu_x_', 'call_a'].map(upstreamCallId)).toEqual(['toolu_', 'x_', 'call_a'])
  expect(callId('toolu_01a')).toBe('toolu_01a')
})

import { expect, test } from 'vitest'
import { faultOf } from './faults.ts'

test('what is missing or no address is refused; the rest is for the server to say', () => {
  expect(faultOf({ value: ' \u3000', required: true })).toBe('empty')
  expect(faultOf({ value: '' })).toBeUndefined()
  for (const value of ['sara', 'sara@', '@example.ir', 'sa ra@example.ir', 'a@b@c'])
    expect(faultOf({ value, type: 'email', required: true }), value).toBe('email')
  for (const value of ['sara@example.ir', ' سارا@نمونه.ایران ', 'root@localhost'])
    expect(faultOf({ value, type: 'email', required: true }), value).toBeUndefined()
})

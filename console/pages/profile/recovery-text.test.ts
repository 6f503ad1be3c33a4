import { expect, test } from 'vitest'
import { inGroups, recoveryFile } from './recovery-text.ts'

test('a secret is shown in groups of four, and nothing of it is lost', () => {
  expect(inGroups('JBSWY3DPEHPK3PXPAB')).toBe('JBSW Y3DP EHPK 3PXP AB')
  expect(inGroups('')).toBe('')
})

test('the file of recovery codes says what they are and has one a line', () => {
  const lines = recoveryFile('کدهای بازیابی', 'هر کد یک بار', ['aaaa-bbbb', 'cccc-dddd']).split('\r\n')
  expect(lines).toEqual(['کدهای بازیابی', 'هر کد یک بار', '', 'aaaa-bbbb', 'cccc-dddd', ''])
})

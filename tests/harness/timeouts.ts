/** A setup file of Vitest, which evaluates it before each file: how long tests wait on this machine. */
import { vi } from 'vitest'
import { clockFactor, soon, startMs } from './until.ts'

/** Tests of the campaign take as long as random kills, four hours of sound and real stops do. */
const testMs = ['quick', 'test'].includes(process.env['KHERAD_SUITE'] ?? '') ? 30_000 : 180_000

vi.setConfig({
  testTimeout: Math.round(testMs * clockFactor),
  // Hooks start servers and browsers.
  hookTimeout: startMs,
  expect: { poll: { timeout: soon } },
})

/** A failed test as the runner hears of it, one line of JSON each: what `voids.ts` judges. */
import type { TestCase, TestModule, TestSuite } from 'vitest/node'
import { type SeenError, seenError } from './seen-error.ts'

export interface TestName {
  /** From the root of the repository, with slashes. */
  file: string
  /** Its groups and its name, with ` > ` between, as `vitest -t` is held against it; empty where the file itself failed (its import, a hook of it). */
  fullName: string
}

export interface FailedTest extends TestName {
  state: 'failed'
  /** All that it threw, its hooks and its disposal too. */
  errors: SeenError[]
  /** When it began, in milliseconds since 1970. */
  startMs: number
  /** When its end was reported, by the reporter's wall clock: a duration is measured by a clock that stops in a suspended machine. */
  endMs: number
}

export interface PassedTest extends TestName {
  state: 'passed'
}

export const nameOf = (test: TestCase): TestName => ({
  file: test.module.relativeModuleId,
  fullName: test.fullName,
})

/** Of a test whose end is reported at this moment; undefined where it did not fail. */
export function failedTest(test: TestCase): FailedTest | undefined {
  const result = test.result()
  if (result.state !== 'failed') return undefined
  const endMs = Date.now()
  const startMs = Math.min(test.diagnostic()?.startTime ?? endMs, endMs)
  return {
    state: 'failed',
    ...nameOf(test),
    errors: result.errors.map((error) => seenError(error)),
    startMs,
    endMs,
  }
}

/** The same of a file or a group of tests whose import or own hook failed. `startMs` is when its file was begun. */
export function failedFile(of: TestModule | TestSuite, startMs: number): FailedTest | undefined {
  const errors = of.errors().map((error) => seenError(error))
  if (errors.length === 0) return undefined
  const { relativeModuleId: file } = of.type === 'module' ? of : of.module
  return { state: 'failed', file, fullName: '', errors, startMs, endMs: Date.now() }
}

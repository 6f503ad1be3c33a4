/**
 * What a run prints of itself beside Vitest's own report: before it how many files there are and about how many minutes, while it runs how far
 * it is, and at its end what it took of the processor. Leaves all in a file for `run.ts`, which decides.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node'

/** One file of a finished run. */
export interface ReportedFile {
  file: string
  tests: number
  /** Processor time; undefined where the file did not begin. */
  processorMs: number | undefined
  state: string
}

/** A test, or a hook or an import of a file, that failed. */
export interface ReportedFailure {
  file: string
  /** With the names of its groups; empty for the file itself. */
  test: string
  startMs: number
  endMs: number
  errors: { name: string; message: string; code?: string; stack: string }[]
}

export interface Report {
  /** How much slower than the reference the machine is, as it was measured at the start. */
  factor: number
  files: ReportedFile[]
  failures: ReportedFailure[]
}

const reportPath = process.env['KHERAD_TEST_REPORT']
const minutes = process.env['KHERAD_TEST_MINUTES']
const progressMs = 15_000

export default class SuiteReporter implements Reporter {
  readonly #files: ReportedFile[] = []
  readonly #failures: ReportedFailure[] = []
  #count = 0
  #tests = 0
  #beganMs = Date.now()
  #progress: NodeJS.Timeout | undefined

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#count = specifications.length
    this.#beganMs = Date.now()
    const about = minutes ? `, about ${minutes} minutes on two quiet cores` : ''
    print(`${this.#count} test files${about}`)
    this.#progress = setInterval(() => this.#printProgress(), progressMs)
  }

  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()]
    this.#tests += tests.length
    const file = module.relativeModuleId
    this.#files.push({
      file,
      tests: tests.length,
      processorMs: module.meta().processorMs,
      state: module.state(),
    })
    for (const test of tests) if (test.result().state === 'failed') this.#failures.push(failureOf(file, test))
    const errors = module.errors()
    if (errors.length)
      this.#failures.push({
        file,
        test: '',
        startMs: this.#beganMs,
        endMs: Date.now(),
        errors: errors.map(plain),
      })
  }

  onTestRunEnd(): void {
    clearInterval(this.#progress)
    this.#printProgress()
    const report: Report = {
      factor: Number(process.env['KHERAD_MACHINE_FACTOR']),
      files: this.#files,
      failures: this.#failures,
    }
    if (reportPath) writeFileSync(reportPath, JSON.stringify(report))
  }

  #printProgress(): void {
    const seconds = Math.round((Date.now() - this.#beganMs) / 1_000)
    const failed = this.#failures.length ? `, ${this.#failures.length} failed` : ''
    print(`${this.#files.length} of ${this.#count} files, ${this.#tests} tests${failed}, ${seconds} s`)
  }
}

function failureOf(file: string, test: TestCase): ReportedFailure {
  const diagnostic = test.diagnostic()
  const startMs = diagnostic?.startTime ?? 0
  return {
    file,
    test: test.fullName,
    startMs,
    endMs: startMs + (diagnostic?.duration ?? 0),
    errors: (test.result().errors ?? []).map(plain),
  }
}

function plain(error: { name?: string; message: string; stack?: string; code?: unknown }) {
  const { name = 'Error', message, stack = '', code } = error
  return { name, message, stack, ...(typeof code === 'string' && { code }) }
}

const print = (line: string): void => void process.stdout.write(`--- ${line}\n`)

/**
 * What a run prints of itself beside Vitest's own report: before it how many files there are and about how many minutes, and while it runs how
 * far it is. Leaves all that `run-suite.ts` judges in a file.
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node'
import { nodeFactor, roundMs } from './factor.ts'
import { type FailedTest, failedFile, failedTest, nameOf, type PassedTest } from './failed-test.ts'

/** One file of a finished run. */
export interface ReportedFile {
  file: string
  /** Processor time; undefined where no test of the file began. */
  processorMs?: number
}

export interface Report {
  /** How much slower than the reference the machine was by processor time, on the average of the run. */
  factor: number
  files: ReportedFile[]
  passed: PassedTest[]
  failed: FailedTest[]
  /** Whether something failed that belongs to no test: an error that nobody caught. */
  hasLooseErrors: boolean
}

const reportPath = process.env['KHERAD_TEST_REPORT']
const minutes = process.env['KHERAD_TEST_MINUTES']
const progressMs = 15_000

export default class SuiteReporter implements Reporter {
  readonly #files: ReportedFile[] = []
  readonly #passed: PassedTest[] = []
  readonly #failed: FailedTest[] = []
  readonly #begunMs = new Map<string, number>()
  #count = 0
  #beganMs = Date.now()
  #progress: NodeJS.Timeout | undefined
  readonly #roundsMs: number[] = []

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#count = specifications.length
    this.#beganMs = Date.now()
    const about = minutes ? `, about ${minutes} minutes on two quiet cores` : ''
    print(`${this.#count} test files${about}`)
    this.#progress = setInterval(() => this.#lookUp(), progressMs)
  }

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#begunMs.set(moduleId, Date.now())
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'passed') this.#passed.push({ state: 'passed', ...nameOf(test) })
    else this.#fail(failedTest(test))
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.#fail(failedFile(suite, this.#begunMs.get(suite.module.moduleId) ?? this.#beganMs))
  }

  onTestModuleEnd(module: TestModule): void {
    const { processorMs } = module.meta()
    this.#files.push({ file: module.relativeModuleId, ...(processorMs !== undefined && { processorMs }) })
    this.#fail(failedFile(module, this.#begunMs.get(module.moduleId) ?? this.#beganMs))
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly unknown[]): void {
    clearInterval(this.#progress)
    this.#printProgress()
    const report: Report = {
      factor: this.#factor(),
      files: this.#files,
      passed: this.#passed,
      failed: this.#failed,
      hasLooseErrors: errors.length > 0,
    }
    if (reportPath) writeFileSync(reportPath, JSON.stringify(report))
  }

  #lookUp(): void {
    this.#roundsMs.push(roundMs())
    this.#printProgress()
  }

  /**
   * That of the start, changed as the rounds of Node have changed since. A machine that was slow for Node at the moment of the start alone would make
   * PostgreSQL look as if it had become faster since: then PostgreSQL counts as it was measured, but never more than Node.
   */
  #factor(): number {
    const atStart = Number(process.env['KHERAD_MACHINE_FACTOR'])
    const atStartMs = Number(process.env['KHERAD_NODE_ROUND_MS'])
    if (!this.#roundsMs.length) return atStart
    const meanMs = this.#roundsMs.reduce((sum, ms) => sum + ms, 0) / this.#roundsMs.length
    const changed = (atStart * meanMs) / atStartMs
    const node = nodeFactor(meanMs)
    const postgres = Math.min(2 * atStart - nodeFactor(atStartMs), node)
    return Math.round(100 * Math.max(changed, (node + postgres) / 2)) / 100
  }

  #fail(failed: FailedTest | undefined): void {
    if (failed) this.#failed.push(failed)
  }

  #printProgress(): void {
    const seconds = Math.round((Date.now() - this.#beganMs) / 1_000)
    const tests = this.#passed.length + this.#failed.length
    const failed = this.#failed.length ? `, ${this.#failed.length} failed` : ''
    print(`${this.#files.length} of ${this.#count} files, ${tests} tests${failed}, ${seconds} s`)
  }
}

const print = (line: string): void => void process.stdout.write(`--- ${line}\n`)

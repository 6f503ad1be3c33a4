import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createVitest, type Vitest } from 'vitest/node'

/** How a test file ended. */
export type Outcome =
  /** Every test that ran has passed. */
  | { kind: 'green' }
  /** A test has failed, by an assertion or by an error within it. */
  | { kind: 'red'; by: string }
  /** Neither: it could not be loaded, ran no test, or failed outside of its tests. */
  | { kind: 'unfit'; why: string }

/**
 * One Vitest for many runs: starting it, its PostgreSQL and the transformation of 2,000 files cost more than most test files. `close` ends all
 * of it.
 */
export class TestSession implements AsyncDisposable {
  readonly #root: string
  #vitest: Vitest | undefined

  /** `root` is that of a copy of the checkout. */
  constructor(root: string) {
    this.#root = root
  }

  /** To be told of every file that changes between two runs. */
  forget(file: string): void {
    this.#vitest?.invalidateFile(path.join(this.#root, file))
  }

  /** Runs one test file until its first failure. */
  async run(testFile: string): Promise<Outcome> {
    this.#vitest ??= await open(this.#root)
    const vitest = this.#vitest
    await deletePrograms(vitest)
    const specifications = (await vitest.globTestSpecifications([testFile])).filter(
      ({ moduleId }) => path.relative(this.#root, moduleId) === testFile,
    )
    if (!specifications.length) return { kind: 'unfit', why: 'no such test file' }
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => late.resolve(undefined), maxMs)
    const result = await Promise.race([vitest.runTestSpecifications(specifications), late.promise])
    clearTimeout(timer)
    // A session remembers the files of its earlier runs, too.
    const ran = specifications.map(({ moduleId }) => moduleId)
    if (result)
      return outcomeOf(
        result.testModules.filter(({ moduleId }) => ran.includes(moduleId)),
        result.unhandledErrors,
      )
    await this.close()
    return { kind: 'unfit', why: `it had not ended after ${maxMs / 1000} s` }
  }

  async close(): Promise<void> {
    const vitest = this.#vitest
    this.#vitest = undefined
    await vitest?.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const maxMs = 240_000

function open(root: string): Promise<Vitest> {
  return createVitest('test', {
    root,
    config: path.join(root, 'vitest.config.ts'),
    watch: false,
    bail: 1,
    silent: true,
    reporters: [{}],
    // Not in node_modules, which is the checkout's.
    fsModuleCachePath: path.join(root, '.vitest-cache'),
  })
}

/** Programs that tests start are bundled once for a run of Vitest (tests/harness/bundled.ts), and here the code changes within one. */
async function deletePrograms(vitest: Vitest): Promise<void> {
  for (const project of vitest.projects) {
    const { scratch } = project.getProvidedContext() as { scratch?: string }
    if (scratch) await rm(path.join(scratch, 'programs'), { recursive: true, force: true })
  }
}

/** What of a module of tests is looked at. */
export interface RanModule {
  errors(): readonly unknown[]
  children: {
    allTests(): Iterable<{
      fullName: string
      result(): { state: string; errors?: readonly { message: string }[] | undefined }
    }>
    allSuites(): Iterable<{ errors(): readonly unknown[] }>
  }
}

export function outcomeOf(modules: readonly RanModule[], unhandled: readonly unknown[]): Outcome {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  let late: string | undefined
  for (const test of tests) {
    const { state, errors } = test.result()
    if (state !== 'failed') continue
    // A test that only ran out of time proves nothing on a busy machine.
    if (errors?.some(({ message }) => !/^(Test|Hook) timed out/.test(message)))
      return { kind: 'red', by: test.fullName }
    late = test.fullName
  }
  if (late) return { kind: 'unfit', why: `only its time ran out: ${late}` }
  const outside = [
    ...unhandled,
    ...modules.flatMap((module) => [
      ...module.errors(),
      ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
    ]),
  ]
  if (outside.length) return { kind: 'unfit', why: `failed outside of its tests: ${messageOf(outside[0])}` }
  if (!tests.some((test) => test.result().state === 'passed')) return { kind: 'unfit', why: 'it ran no test' }
  return { kind: 'green' }
}

const messageOf = (error: unknown): string =>
  String((error as { message?: string }).message ?? error).split('\n', 1)[0]!

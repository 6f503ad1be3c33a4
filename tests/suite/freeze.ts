/** Stops a whole tree of processes at one instant, for a test of what a stand-still does. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../harness/until.ts'

export interface Tree extends AsyncDisposable {
  /** How its processes are stopped. */
  readonly by: 'the cgroup freezer' | 'SIGSTOP'
  /** The words before a command that begins in this tree; its children follow. Where SIGSTOP is all there is, `add` it too. */
  readonly under: readonly string[]
  /** A process, without those that it has started already; by SIGSTOP with all of its group, which it has to lead. */
  add(pid: number): void
  /** Stops all of it for so long. */
  stopFor(ms: number): Promise<void>
}

/** A tree that the freezer of cgroup v1 stops, where this system has it and this user may write it; else one that signals stop. */
export const openTree = (): Tree => openFrozenTree() ?? new SignalledTree()

/** Undefined where this system has no freezer of cgroup v1, or this user may not write it. */
export function openFrozenTree(): Tree | undefined {
  const folder = `/sys/fs/cgroup/freezer/kherad-${process.pid}-${Date.now()}`
  try {
    mkdirSync(folder)
  } catch {
    return undefined
  }
  return new FrozenTree(folder)
}

class FrozenTree implements Tree {
  readonly by = 'the cgroup freezer'
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  get under(): readonly string[] {
    return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', this.#folder]
  }

  add(pid: number): void {
    writeFileSync(`${this.#folder}/cgroup.procs`, String(pid))
  }

  stopFor(ms: number): Promise<void> {
    const state = `${this.#folder}/freezer.state`
    return runShell(`echo FROZEN > ${state}; sleep ${ms / 1_000}; echo THAWED > ${state}`)
  }

  /** Those of its processes that still run go on outside of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const processes = path.dirname(this.#folder)
    // One that ends at this moment is in it for a moment longer.
    await until(() => {
      for (const pid of readFileSync(`${this.#folder}/cgroup.procs`, 'utf8').split('\n').filter(Boolean))
        unless('ESRCH', () => writeFileSync(`${processes}/cgroup.procs`, pid))
      return unless('EBUSY', () => rmdirSync(this.#folder))
    })
  }
}

/** False where it failed with this code. */
function unless(code: string, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false
    throw error
  }
}

export class SignalledTree implements Tree {
  readonly by = 'SIGSTOP'
  readonly under = []
  readonly #groups: number[] = []

  add(pid: number): void {
    this.#groups.push(pid)
  }

  stopFor(ms: number): Promise<void> {
    const groups = this.#groups.map((pid) => `-${pid}`).join(' ')
    return runShell(`kill -s STOP -- ${groups}; sleep ${ms / 1_000}; kill -s CONT -- ${groups}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** In a process that nobody ends with the test: what is stopped goes on even where the test was killed meanwhile. */
function runShell(script: string): Promise<void> {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script}: exit code ${code}`))))
  })
}

/**
 * Stops processes and lets them go on: one after another by SIGSTOP, which PostgreSQL knows nothing of and a supervisor does not see, or a whole
 * tree at one instant by the freezer of Linux's control groups, as a suspended machine or a paused container is stopped.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { soon, until } from '../../harness/until.ts'

/** What stands still until it is disposed. */
export type StandStill = AsyncDisposable

/** Stops what `pids` answers, now and as often as it answers more: a process that is being started meanwhile is stopped too. */
export async function stop(pids: () => Promise<readonly number[]>): Promise<StandStill> {
  const stopped = new Set<number>()
  const goOn = (): void => {
    // Children first: a parent that goes on alone would find them silent.
    for (const pid of [...stopped].reverse()) signal(pid, 'SIGCONT')
    stopped.clear()
  }
  try {
    for (let added = -1; added !== stopped.size; ) {
      added = stopped.size
      for (const pid of await pids()) if (!stopped.has(pid) && signal(pid, 'SIGSTOP')) stopped.add(pid)
    }
    for (const pid of stopped) await until(() => isStopped(pid), soon)
  } catch (error) {
    goOn()
    throw error
  }
  return { [Symbol.asyncDispose]: async () => goOn() }
}

/** Stops these processes and their descendants at one instant. Throws where there is no freezer: see `whyNoFreezer`. */
export async function freeze(roots: readonly number[]): Promise<StandStill> {
  const group = path.join(freezers, `kherad-${process.pid}-${++groups}`)
  const set = (state: 'FROZEN' | 'THAWED') => writeFile(path.join(group, 'freezer.state'), state)
  const reaches = (state: string) =>
    until(async () => (await readFile(path.join(group, 'freezer.state'), 'utf8')).trim() === state, soon)
  await mkdir(group)
  const watch = thawLater(path.join(group, 'freezer.state'))
  const goOn = async (): Promise<void> => {
    await set('THAWED')
    await reaches('THAWED')
    watch[Symbol.dispose]()
    // A group with members cannot be removed; those that end while they are moved are gone anyway.
    await until(async () => {
      for (const pid of await membersOf(group)) await join(freezers, pid)
      return rmdir(group).then(
        () => true,
        () => false,
      )
    }, soon)
  }
  try {
    // A child that is started meanwhile is a member as its parent is, once its parent is one.
    for (let added = -1, members: readonly number[] = []; added !== members.length; ) {
      added = members.length
      for (const root of roots) for (const pid of await treeOf(root)) await join(group, pid)
      members = await membersOf(group)
    }
    await set('FROZEN')
    await reaches('FROZEN')
  } catch (error) {
    await goOn()
    throw error
  }
  return { [Symbol.asyncDispose]: goOn }
}

/** What is frozen cannot even be killed: a run that is ended in the middle leaves it so for a minute, and not for good. */
function thawLater(stateFile: string): Disposable {
  const child = spawn('/bin/sh', ['-c', 'sleep 60; echo THAWED > "$0"', stateFile], {
    detached: true,
    stdio: 'ignore',
  })
  child.unref()
  // With its sleep: detached, it leads a group of its own.
  return { [Symbol.dispose]: () => void signal(-child.pid!, 'SIGKILL') }
}

/** Of Linux's control groups, version 1. */
const freezers = '/sys/fs/cgroup/freezer'
let groups = 0

/** Undefined where a tree can be frozen; else the reason, for whoever skips a test. */
export async function whyNoFreezer(): Promise<string | undefined> {
  if (!existsSync(path.join(freezers, 'cgroup.procs'))) return `there is no freezer at ${freezers}`
  const group = path.join(freezers, `kherad-probe-${process.pid}`)
  try {
    await mkdir(group)
    await rmdir(group)
    return undefined
  } catch (error) {
    return `the freezer at ${freezers} cannot be used: ${(error as Error).message}`
  }
}

async function join(group: string, pid: number): Promise<void> {
  await writeFile(path.join(group, 'cgroup.procs'), String(pid)).catch((error: NodeJS.ErrnoException) => {
    // It has ended.
    if (error.code !== 'ESRCH') throw error
  })
}

const membersOf = async (group: string): Promise<number[]> =>
  (await readFile(path.join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean).map(Number)

/** A process and all below it, parents before their children. */
export async function treeOf(root: number): Promise<number[]> {
  const children = Map.groupBy(await allProcesses(), ({ parent }) => parent)
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid))
  return tree
}

/** All below it, without it. */
export const below = async (root: number): Promise<number[]> => (await treeOf(root)).slice(1)

/** Undefined where it has ended. */
export const parentOf = async (pid: number): Promise<number | undefined> => (await statOf(pid))?.parent

async function allProcesses(): Promise<{ pid: number; parent: number }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })))
  return stats.flatMap(({ pid, stat }) => (stat ? [{ pid, parent: stat.parent }] : []))
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the state and the parent follow the name, which may contain anything. */
async function statOf(pid: number): Promise<{ state: string; parent: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  if (text === undefined) return undefined
  const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state, parent: Number(parent) }
}

/** Stopped, or gone meanwhile. */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await statOf(pid)
  return stat === undefined || 'TXZ'.includes(stat.state)
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

/** A stand-still of so long. */
export async function standStill(begin: () => Promise<StandStill>, ms: number): Promise<void> {
  await using _stopped = await begin()
  await pause(ms)
}

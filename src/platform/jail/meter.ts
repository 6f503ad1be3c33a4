import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { setPriority } from 'node:os'

/** What a process has used until now. */
export interface Consumption {
  /** CPU time of all of its threads, in milliseconds. */
  cpuMs: number
  residentBytes: number
  threads: number
  /** Its first thread waits for something. One that calculates does not, however seldom it gets a processor. */
  isWaiting: boolean
}

export interface Meter extends Disposable {
  /** Undefined when the process is gone. */
  read(): Consumption | undefined
}

/** `USER_HZ`, which is 100 on every Linux of x64 and arm64. */
const ticksPerSecond = 100
/** Positions in /proc/<pid>/stat behind the name of the program, which may contain spaces and parentheses itself. */
const state = 0
const userTicks = 11
const systemTicks = 12
const threadCount = 17
const residentPages = 21

/**
 * Reads what a process consumes from procfs, which costs some ten microseconds: the file is kept open, so that a process that gets the
 * same number later is never taken for it. Time that was used below a tick of the kernel (10 ms) shows in a later reading.
 */
export function openMeter(pid: number): Meter {
  const descriptor = openSync(`/proc/${pid}/stat`, 'r')
  const buffer = Buffer.alloc(1_024)
  let isOpen = true
  return {
    read() {
      if (!isOpen) return undefined
      try {
        return consumptionIn(buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0)))
      } catch {
        return undefined
      }
    },
    [Symbol.dispose]() {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}

function consumptionIn(stat: string): Consumption | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const number = (index: number): number => Number(fields[index])
  if (fields.length <= residentPages) return undefined
  return {
    cpuMs: ((number(userTicks) + number(systemTicks)) * 1_000) / ticksPerSecond,
    residentBytes: number(residentPages) * pageBytes(),
    threads: number(threadCount),
    isWaiting: fields[state] !== 'R',
  }
}

let knownPageBytes: number | undefined

/** 4 KB on x64, 4 to 64 KB on arm64: the kernel hands it to every program (AT_PAGESZ). */
export function pageBytes(): number {
  knownPageBytes ??= pageBytesIn(readFileSync('/proc/self/auxv'))
  return knownPageBytes
}

function pageBytesIn(vector: Buffer): number {
  for (let at = 0; at + 16 <= vector.length; at += 16)
    if (vector.readBigUInt64LE(at) === 6n) return Number(vector.readBigUInt64LE(at + 8))
  return 4_096
}

/** Lower than that of this server: whoever calculates in a jail waits for it. */
const lowPriority = 5

/** For when it has started, which callers wait for. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, lowPriority)
  } catch {
    // It has ended, or may not be changed.
  }
}

/** What the functions of one cloud may use. */
export interface RuntimeLimits {
  /** CPU time of one call. Calls at the same time share what their process uses. */
  cpuMs: number
  /** CPU time of a start, before that of calls counts. */
  startCpuMs: number
  /** Of one call, without the time in which it waited for requests that it sent. */
  ownMs: number
  /** Of one call, with everything. */
  wallMs: number
  heapMb: number
  /** RLIMIT_DATA; V8 reserves some 546 MB of it that it never uses. */
  dataBytes: number
  residentBytes: number
  threads: number
  /** Calls at once, and calls that wait for one of these to end. */
  atOnce: number
  waiting: number
  /** Of the body of a call, and of its answer. */
  bodyBytes: number
  headerBytes: number
  /** Without calls, a process is ended after it. */
  idleMs: number
  /** For loading the code of one function when it is deployed. */
  tryMs: number
  /** Lines of logs in a second, and bytes of all output in a second: more is dropped, and beyond `patience` times as many bytes the writer waits. */
  linesPerSecond: number
  outputBytesPerSecond: number
}

/** Much more than is kept may be written in a second and costs only the counting. */
export const patience = 16

export const starterLimits: RuntimeLimits = {
  cpuMs: 1_000,
  startCpuMs: 200,
  ownMs: 10_000,
  wallMs: 150_000,
  heapMb: 64,
  dataBytes: 640_000_000,
  residentBytes: 250_000_000,
  threads: 32,
  atOnce: 4,
  waiting: 16,
  bodyBytes: 1_000_000,
  headerBytes: 16 * 1024,
  idleMs: 60_000,
  tryMs: 30_000,
  linesPerSecond: 100,
  outputBytesPerSecond: 256 * 1024,
}

export const dedicatedLimits: RuntimeLimits = {
  ...starterLimits,
  cpuMs: 2_000,
  ownMs: 30_000,
  heapMb: 192,
  dataBytes: 800_000_000,
  residentBytes: 420_000_000,
  atOnce: 32,
  waiting: 128,
  bodyBytes: 6_000_000,
  idleMs: 600_000,
}

/** What a function takes and may take in the process that it shares: each has a world of its own there. */
const bytesOfFunction = 8_000_000

/** For a process with so many functions: those of `limits` are for one. */
export const limitsFor = (functions: number, limits: RuntimeLimits): RuntimeLimits => ({
  ...limits,
  dataBytes: limits.dataBytes + (functions - 1) * bytesOfFunction,
  residentBytes: limits.residentBytes + (functions - 1) * bytesOfFunction,
})

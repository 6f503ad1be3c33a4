/**
 * Free space on the disks that this server writes to, and what their refusals mean (docs/decisions/platform/disk-space.md). The disks are measured in
 * the background, so that a request can be refused at once, before it costs anything; work that has begun may use what is left below the floor.
 */
import { realpath, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { Problem } from '#platform/readiness'
import { fullDiskFailure } from './errors.ts'
import { type DiskName, spacePhrases } from './phrases.ts'

export {
  diskFailure,
  fullDiskFailure,
  isDiskFullError,
  unwritableDiskFailure,
  writeFailure,
} from './errors.ts'
export type { DiskName } from './phrases.ts'

export interface WatchedDisk {
  name: DiskName
  /** The watched folder. If it does not exist yet, the nearest existing folder above it is measured. */
  folder: string
  /** The minimum of free bytes. */
  leastBytes: number
}

/** The last measurement of a disk. */
export interface FreeSpace {
  device: number
  freeBytes: number
  /** Undefined if the file system does not count inodes. */
  freeInodes: number | undefined
}

export interface DiskSpaceOptions {
  disks: readonly WatchedDisk[]
  /** The interval between measurements, in milliseconds. */
  everyMs?: number
  /** How long to wait for a disk, in milliseconds; one that has not answered by then is skipped. */
  slowMs?: number
  /** Tests replace the measurement and the time here. */
  measure?: (folder: string) => Promise<FreeSpace>
  nowMs?: () => number
}

const usualEveryMs = 1_000
/** A disk that takes longer, in milliseconds, is skipped until it answers, so that the others are measured. */
const usualSlowMs = 1_000
/** How long a measurement counts. */
const staleMs = 10_000
/** The maximum of disks that may hang at once: a call to a hanging disk occupies a thread of the process (of four) until it returns. */
const maxHanging = 2
/** The minimum of free inodes: each file takes one, and a file system may run out of inodes first. */
export const leastInodes = 256
const mebibyte = 1024 * 1024

interface MeasuredDisk extends WatchedDisk {
  room: FreeSpace | undefined
  seenMs: number
  isHanging: boolean
}

export class DiskSpace implements Disposable {
  readonly #disks: readonly MeasuredDisk[]
  readonly #measure: (folder: string) => Promise<FreeSpace>
  readonly #nowMs: () => number
  readonly #slowMs: number
  readonly #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor({ disks, everyMs = usualEveryMs, slowMs = usualSlowMs, ...own }: DiskSpaceOptions) {
    const { measure = measureFreeSpace, nowMs = () => performance.now() } = own
    const seenMs = nowMs()
    this.#nowMs = nowMs
    this.#slowMs = slowMs
    this.#disks = disks.map((disk) => ({ ...disk, room: undefined, seenMs, isHanging: false }))
    this.#measure = measure
    if (disks.length > 0) this.#timer = setInterval(() => void this.refresh(), everyMs).unref()
  }

  /** Measures every disk that does not hang. */
  refresh(): Promise<void> {
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** The first of these disks that has too little room; undefined also if nothing is known about them. */
  lacking(names: readonly DiskName[]): DiskName | undefined {
    for (const known of this.#disks) if (names.includes(known.name) && this.#lacks(known)) return known.name
    return undefined
  }

  /** Throws STORAGE_FULL if one of these disks has too little room. */
  require(names: readonly DiskName[]): void {
    const disk = this.lacking(names)
    if (disk !== undefined) throw fullDiskFailure(disk)
  }

  /** One problem for each device and kind; disks on the same device share one sentence. */
  problems(): Problem[] {
    const byDevice = new Map<string, MeasuredDisk[]>()
    for (const known of this.#disks) {
      const kind = this.#problemOf(known)
      if (kind === undefined) continue
      const device = `${kind} ${known.room?.device ?? 'unknown'}`
      byDevice.set(device, [...(byDevice.get(device) ?? []), known])
    }
    return [...byDevice].map(([kind, all]) => describe(kind.split(' ')[0] as ProblemKind, all))
  }

  #problemOf(known: MeasuredDisk): ProblemKind | undefined {
    if (this.#lacks(known)) return known.room!.freeBytes < known.leastBytes ? 'disk_full' : 'inodes_full'
    return this.#isStale(known) ? 'disk_unknown' : undefined
  }

  #isStale({ seenMs }: MeasuredDisk): boolean {
    return this.#nowMs() - seenMs > staleMs
  }

  /** Whether the disk has too little room. A measurement that is too old refuses nobody. */
  #lacks(known: MeasuredDisk): boolean {
    const { room, leastBytes } = known
    if (room === undefined || this.#isStale(known)) return false
    return room.freeBytes < leastBytes || (room.freeInodes !== undefined && room.freeInodes < leastInodes)
  }

  async #lookAtAll(): Promise<void> {
    for (const disk of this.#disks) {
      const hanging = this.#disks.filter(({ isHanging }) => isHanging).length
      if (!disk.isHanging && hanging < maxHanging) await this.#lookAt(disk)
    }
  }

  /** Resolves when the disk is measured, or when that takes too long; a late result still counts. */
  #lookAt(disk: MeasuredDisk): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.isHanging = true
    const timer = setTimeout(resolve, this.#slowMs)
    this.#measure(disk.folder)
      .then(
        (room) => {
          disk.room = room
          disk.seenMs = this.#nowMs()
        },
        // The folder cannot be read; whatever needs it will report that.
        () => undefined,
      )
      .finally(() => {
        disk.isHanging = false
        clearTimeout(timer)
        resolve()
      })
    return promise
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

type ProblemKind = 'disk_full' | 'inodes_full' | 'disk_unknown'

function describe(kind: ProblemKind, all: readonly MeasuredDisk[]): Problem {
  const names = all.map(({ name }) => name)
  if (kind === 'disk_unknown') return { code: kind, message: spacePhrases.unknown(names), blocks: false }
  const { freeBytes, freeInodes = 0 } = all[0]!.room!
  const leastMb = Math.max(...all.map(({ leastBytes }) => leastBytes)) / mebibyte
  const message =
    kind === 'disk_full'
      ? spacePhrases.lacksBytes(names, Math.floor(freeBytes / mebibyte), leastMb)
      : spacePhrases.lacksInodes(names, freeInodes, leastInodes)
  return { code: kind, message, blocks: true }
}

/** Measures the disk of the folder, or of the nearest folder above it that exists. */
export async function measureFreeSpace(folder: string): Promise<FreeSpace> {
  try {
    const [{ bavail, bsize, files, ffree }, { dev }] = await Promise.all([statfs(folder), stat(folder)])
    // Some file systems, such as btrfs, create inodes as they need them and report zero.
    return { device: dev, freeBytes: bavail * bsize, freeInodes: files > 0 ? ffree : undefined }
  } catch (error) {
    const above = path.dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error
    return measureFreeSpace(above)
  }
}

export interface Folders {
  dataDir: string
  /** The folder of the embedded PostgreSQL; undefined if another PostgreSQL is used. */
  cluster: string | undefined
  spool: string
  /** The folder of stored files; undefined if they are stored elsewhere. */
  files: string | undefined
}

/** The disks that a server with these folders writes to. PostgreSQL's WAL may be a link to another disk. */
export async function disksOf(
  { dataDir, cluster, spool, files }: Folders,
  least: Record<DiskName, number>,
): Promise<WatchedDisk[]> {
  const wal = cluster && path.join(cluster, 'pg_wal')
  const places: [DiskName, string | undefined][] = [
    ['data', dataDir],
    ['database', cluster],
    ['wal', wal && (await realpath(wal).catch(() => wal))],
    ['spool', spool],
    ['files', files],
  ]
  return places.flatMap(([name, folder]) =>
    folder === undefined ? [] : [{ name, folder: path.resolve(folder), leastBytes: least[name] }],
  )
}

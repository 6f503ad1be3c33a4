/** What this machine has for databases, as the doctor reports it; nothing is made or changed. */
import { statfs } from 'node:fs/promises'
import type { Localized } from '#platform/errors'
import type { Jail } from '#platform/jail'
import type { Log } from '#platform/log'
import { findBinaries } from '#platform/postgres'
import { Claims, claimedBytes } from './claims.ts'
import { memoryOfDatabases } from './memory.ts'
import { findPrograms } from './program.ts'

export interface MachineFindings {
  /** The major version of PostgreSQL. */
  major: string
  /** Databases that some process of this machine uses, their memory, and the memory that all may take. */
  awake: number
  awakeBytes: number
  memoryBytes: number
  freeBytes: number
  /** With less than this free no database is written. */
  leastFreeBytes: number
}

export interface ExamineOptions {
  /** The folder of the databases; it may not exist. */
  root: string
  /** An existing folder on the same disk. */
  folder: string
  pgBin: string | undefined
  memoryShare: number
  leastFreeDisk: number
  jail: Jail
  log: Log
}

/** What this machine has, or `why` it can have no databases. Throws DATABASES_UNAVAILABLE where PostgreSQL cannot be used. */
export async function examineMachine(options: ExamineOptions): Promise<MachineFindings | { why: Localized }> {
  const { root, folder, pgBin, memoryShare, leastFreeDisk, jail, log } = options
  const state = await jail.state()
  if (state.kind === 'refused') return { why: state.why }
  const { major } = await findPrograms((await findBinaries(pgBin, undefined, log)).postgres)
  const memoryBytes = memoryOfDatabases(memoryShare)
  const claims = await new Claims(root, { tools: state.tools, limitBytes: memoryBytes }).list()
  const disk = await statfs(folder)
  return {
    major,
    awake: new Set(claims.map(({ ref }) => ref)).size,
    awakeBytes: claimedBytes(claims),
    memoryBytes,
    freeBytes: disk.bavail * disk.bsize,
    leastFreeBytes: disk.blocks * disk.bsize * leastFreeDisk,
  }
}

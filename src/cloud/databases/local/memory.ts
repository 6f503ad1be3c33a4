/** Memory of this machine for the databases that are awake. */
import { totalmem } from 'node:os'
import path from 'node:path'
import type { CloudKey } from '#cloud/clouds'
import { type Config, refuseConfig } from '#platform/config'
import type { Db } from '#platform/db'
import { readRecord } from '#platform/installation'
import { findDatabase } from '../store.ts'
import { findPlace } from './place.ts'

/** The memory of the whole machine, or what its container may have of it. */
const memoryOfMachine = (): number => Math.min(totalmem(), process.constrainedMemory() || totalmem())

export const memoryOfDatabases = (share: number): number => memoryOfMachine() * share

/** The most memory that the database of a cloud can have and still wake; undefined where it is not on this machine. */
export async function maxMemoryOf(
  { db, config }: { db: Db; config: Pick<Config, 'dataDir' | 'databases'> },
  cloud: CloudKey,
): Promise<number | undefined> {
  const record = await findDatabase(db, cloud)
  const folder = await readRecord(config.dataDir)
  const isHere =
    record?.provider === 'local' &&
    record.place === (await findPlace(path.resolve(config.dataDir, 'databases'), folder?.id ?? ''))
  return isHere ? Math.floor(memoryOfDatabases(config.databases.memoryShare)) : undefined
}

/** Throws StartRefused where a package is so large that its database would never wake here. */
export function requireFittingPackages({ clouds, databases }: Pick<Config, 'clouds' | 'databases'>): void {
  if (!databases.local) return
  const maxBytes = Math.floor(memoryOfDatabases(databases.memoryShare))
  const { id, memoryBytes } = clouds.packages.find((one) => one.memoryBytes > maxBytes) ?? {}
  if (id === undefined) return
  const percent = Math.round(databases.memoryShare * 100)
  refuseConfig({
    en: `clouds.packages "${id}" has ${memoryBytes} bytes of memory, but databases.memory_percent (${percent}) leaves ${maxBytes} bytes of this machine for all databases, so none of this package would ever wake: write a smaller memory_bytes, a larger memory_percent, or databases.local: false.`,
    fa: `بستهٔ «${id}» در clouds.packages برابر ${memoryBytes} بایت حافظه دارد، ولی databases.memory_percent (${percent}) از این دستگاه ${maxBytes} بایت برای همهٔ پایگاه‌ها می‌گذارد و هیچ پایگاهی با این بسته بیدار نمی‌شد: memory_bytes کوچک‌تر، memory_percent بزرگ‌تر یا databases.local: false بنویسید.`,
  })
}

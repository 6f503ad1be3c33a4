/**
 * The platform's list of public buckets: strangers without a key request their objects, and a request for any other bucket must wake no database. The
 * list is read again whenever buckets may have changed through this service, the SQL of developers included.
 */
import type { CloudKey } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import type { BucketsApp } from './app.ts'
import { readerRunner } from './as-caller.ts'
import { publicBuckets } from './bucket-store.ts'
import { forgetPublicNames, readPublicNames, writePublicNames } from './store.ts'

/** More names are not kept, and then each request queries the database. */
const maxNames = 1_000

type PublicListDependencies = Pick<BucketsApp, 'db' | 'clock'>

/** Runs `work`, which may change buckets. Where this process is killed, or the database cannot be read, public buckets are unknown from then on. */
export async function withPublicListRefresh<Result>(
  app: PublicListDependencies & Pick<BucketsApp, 'databases' | 'log'>,
  cloud: CloudKey,
  work: () => Promise<Result>,
): Promise<Result> {
  await forgetPublicNames(app.db, cloud)
  try {
    return await work()
  } finally {
    await app.databases
      .use(cloud, (open) => refreshPublicBuckets(app, cloud, open))
      .catch((err: unknown) => app.log.warn({ err }, 'which buckets are public is read later'))
  }
}

export async function refreshPublicBuckets(
  app: PublicListDependencies,
  cloud: CloudKey,
  open: OpenDatabase,
): Promise<void> {
  // The time is taken before buckets are read: a restore that begins meanwhile counts as later.
  const now = new Date(app.clock.nowMs())
  const names = await publicBuckets(readerRunner(open), maxNames + 1)
  await writePublicNames(app.db, cloud, names.length > maxNames ? null : names, now)
}

/** Returns true also where nothing is known of the cloud. */
export const isPossiblyPublic = (
  { db }: PublicListDependencies,
  cloud: CloudKey,
  bucket: string,
): Promise<boolean> => readPublicNames(db, cloud, bucket)

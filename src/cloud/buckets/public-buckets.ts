/**
 * Which buckets are public, as the platform knows it: strangers who have no key ask for their objects, and what is not public must wake no
 * database. Read again whenever buckets may have changed through this service, the SQL of developers included.
 */
import type { CloudKey } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import { asReader } from './as-caller.ts'
import type { BucketsRoom } from './blobs.ts'
import { publicBuckets } from './bucket-store.ts'
import { forgetPublicNames, readPublicNames, writePublicNames } from './store.ts'

/** Beyond it they are not kept, and each request asks the database. */
const maxNames = 1_000

type Room = Pick<BucketsRoom, 'db' | 'clock'>

/** `work` may change buckets. Where this process is killed, or the database cannot be read, nothing is known of them any more. */
export async function changingBuckets<Result>(
  app: Room & Pick<BucketsRoom, 'databases' | 'log'>,
  cloud: CloudKey,
  work: () => Promise<Result>,
): Promise<Result> {
  await forgetPublicNames(app.db, cloud)
  try {
    return await work()
  } finally {
    await app.databases
      .use(cloud, (open) => readPublicBuckets(app, cloud, open))
      .catch((err: unknown) => app.log.warn({ err }, 'which buckets are public is read later'))
  }
}

export async function readPublicBuckets(app: Room, cloud: CloudKey, open: OpenDatabase): Promise<void> {
  // Before they are read: a restoring that begins meanwhile counts as later.
  const now = new Date(app.clock.nowMs())
  const names = await publicBuckets(asReader(open), maxNames + 1)
  await writePublicNames(app.db, cloud, names.length > maxNames ? null : names, now)
}

/** Where nothing is known of the cloud, it may be. */
export const mayBePublic = ({ db }: Room, cloud: CloudKey, bucket: string): Promise<boolean> =>
  readPublicNames(db, cloud, bucket)

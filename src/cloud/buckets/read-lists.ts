/** Lists of buckets and objects, as the caller may see them. */
import type { OpenDatabase } from '#cloud/databases'
import { type ObjectCaller, readerRunner, runAsCaller } from './as-caller.ts'
import { type BucketRow, type BucketsQuery, listBuckets } from './bucket-store.ts'
import * as objects from './object-store.ts'

export const listBucketsAs = (
  open: OpenDatabase,
  caller: ObjectCaller,
  query: BucketsQuery,
): Promise<BucketRow[]> => runAsCaller(open, caller, (run) => listBuckets(run, query))

export const listFolderAs = (open: OpenDatabase, caller: ObjectCaller, query: objects.FolderQuery) =>
  runAsCaller(open, caller, (run) => objects.listFolder(run, query))

export const listKeysAs = (open: OpenDatabase, caller: ObjectCaller, query: objects.KeysQuery) =>
  runAsCaller(open, caller, (run) => objects.listKeys(run, query))

export const findObjectsAs = (
  open: OpenDatabase,
  caller: ObjectCaller,
  bucket: string,
  names: readonly string[],
): Promise<objects.ObjectSummary[]> =>
  runAsCaller(open, caller, (run) => objects.findObjects(run, bucket, names))

/** Lists objects of all buckets for the developer, newest first. */
export const listAllObjects = (
  open: OpenDatabase,
  page: { limit: number; after?: string | undefined },
): Promise<objects.ObjectSummary[]> => objects.listAllObjects(readerRunner(open), page)

export const listAllBuckets = (open: OpenDatabase): Promise<BucketRow[]> =>
  listBuckets(readerRunner(open), {
    search: '',
    column: 'name',
    isDescending: false,
    limit: 1_000,
    offset: 0,
  })

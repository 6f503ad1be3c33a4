/**
 * Buckets of dedicated clouds: objects guarded by policies in the cloud's own database (docs/decisions/cloud/buckets.md). Their bytes are in the
 * storage of the platform.
 */
import './errors.ts'

export type { BucketsApp } from './app.ts'
export { type ObjectCaller, serviceCaller } from './as-caller.ts'
export { deleteObjectsOf, sweepBlobs } from './blobs.ts'
export { largestObjectBytes, limitOf, mediaTypes, requireFits, sizeLimit } from './bucket-limits.ts'
export { type BucketRow, isBucketSort } from './bucket-store.ts'
export { moveObject, removeObjects } from './change-objects.ts'
export { deleteUploadsOf, endUpload, sweepUploads } from './end-uploads.ts'
export { openLinkSigner, readLink } from './links.ts'
export {
  changeBucket,
  createBucket,
  deleteBucket,
  emptyBucket,
  findBucket,
  readBucket,
  requireBucket,
} from './manage-buckets.ts'
export { bucketName, decodePath, namePrefix, objectName, parseObjectPlace } from './names.ts'
export {
  type FolderEntry,
  isSortColumn,
  type ObjectPlace,
  type ObjectRow,
  type ObjectSummary,
} from './object-store.ts'
export {
  copyObject,
  type NewObject,
  type ObjectContext,
  type ObjectProperties,
  putObject,
  requireCanStore,
} from './objects.ts'
export { isPossiblyPublic, refreshPublicBuckets, withPublicListRefresh } from './public-buckets.ts'
export {
  findObjectsAs,
  listAllBuckets,
  listAllObjects,
  listBucketsAs,
  listFolderAs,
  listKeysAs,
} from './read-lists.ts'
export { cacheControlOf, openBytes, readObject, requireObject, sizeOf, typeOf } from './read-objects.ts'
export { renderPicture, requireRenderable, type Transform, transformOf } from './render.ts'
export { addPart, beginUpload, findUpload, type Upload } from './uploads.ts'

/**
 * Buckets of dedicated clouds (docs/decisions/cloud/buckets.md): objects that policies in the cloud's own database guard, their bytes in
 * the storage of the platform.
 */
import './errors.ts'

export { type ObjectCaller, service } from './as-caller.ts'
export { type BucketsRoom, deleteObjectsOf, sweepBlobs } from './blobs.ts'
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
export { bucketName, decode, namePrefix, objectName, placeIn } from './names.ts'
export {
  type AboutObject,
  type FolderEntry,
  isSortColumn,
  type ObjectPlace,
  type ObjectRow,
} from './object-store.ts'
export {
  type Asking,
  copyObject,
  type NewObject,
  type ObjectProperties,
  putObject,
  requireMayPut,
} from './objects.ts'
export { changingBuckets, mayBePublic, readPublicBuckets } from './public-buckets.ts'
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

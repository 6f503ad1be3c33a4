/**
 * Buckets of dedicated clouds (docs/decisions/0084): objects that policies in the cloud's own database guard, their bytes in the storage of
 * the platform.
 */
import './errors.ts'

export { type ObjectCaller, service } from './as-caller.ts'
export { type BucketsRoom, deleteObjectsOf, sweepBlobs } from './blobs.ts'

/** Names of buckets and objects: in any script, and in one normal form, so that the same name is found again. */
import { fail, type Localized } from '#platform/errors'
import './errors.ts'
import { bucketReasons, nameReasons } from './phrases.ts'

const maxNameLength = 1_024
const maxBucketLength = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const control = /[\u0000-\u001f\u007f]/

/** Returns the name in NFC. Throws BUCKET_INVALID. */
export function bucketName(stated: string): string {
  const why = (): never =>
    fail('BUCKET_INVALID', { why: bucketReasons.name(maxBucketLength) }, { param: 'name' })
  if (stated.length > maxBucketLength * 4 || !stated.isWellFormed()) return why()
  const name = stated.normalize('NFC')
  const isFine =
    name.length > 0 && name.length <= maxBucketLength && name.trim() === name && !/[/\\]/.test(name)
  return isFine && !control.test(name) && name !== '.' && name !== '..' ? name : why()
}

/** Returns the name in NFC. Throws OBJECT_NAME_INVALID. */
export function objectName(stated: string): string {
  const why = (reason: Localized): never => fail('OBJECT_NAME_INVALID', { why: reason }, { param: 'name' })
  if (stated === '') return why(nameReasons.empty)
  if (stated.length > maxNameLength) return why(nameReasons.long(maxNameLength))
  if (!stated.isWellFormed() || control.test(stated)) return why(nameReasons.control)
  const name = stated.normalize('NFC')
  if (Buffer.byteLength(name) > maxNameLength) return why(nameReasons.long(maxNameLength))
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return why(nameReasons.segment)
  return name
}

/** Returns the prefix of names in a list: it may be empty, and end with a slash. Throws OBJECT_NAME_INVALID. */
export function namePrefix(stated: string): string {
  const why = (reason: Localized): never => fail('OBJECT_NAME_INVALID', { why: reason }, { param: 'prefix' })
  if (stated.length > maxNameLength) return why(nameReasons.long(maxNameLength))
  if (!stated.isWellFormed() || control.test(stated)) return why(nameReasons.control)
  return stated.normalize('NFC')
}

/** Returns `bucket` and `name` of the percent-encoded path `/bucket/folder/name`. Throws OBJECT_NAME_INVALID and BUCKET_INVALID. */
export function parseObjectPlace(path: string): { bucket: string; name: string } {
  const decoded = decodePath(path.replace(/^\//, ''))
  const slash = decoded.indexOf('/')
  if (slash === -1) return fail('OBJECT_NAME_INVALID', { why: nameReasons.empty }, { param: 'name' })
  return { bucket: bucketName(decoded.slice(0, slash)), name: objectName(decoded.slice(slash + 1)) }
}

/** Throws OBJECT_NAME_INVALID. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return fail('OBJECT_NAME_INVALID', { why: nameReasons.encoding }, { param: 'name' })
  }
}

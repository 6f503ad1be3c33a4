/** Names of buckets and objects, as people write them: in any script, in the one normal form by which the same name is found again. */
import { fail, type Localized } from '#platform/errors'

const longestName = 1_024
const longestBucket = 100

const reasons = {
  bucket: {
    en: `the name of a bucket has 1 to ${longestBucket} characters, no slashes, no control characters and no blanks around it.`,
    fa: 'نام باکت ۱ تا ۱۰۰ نویسه دارد، بی ممیز، بی نویسهٔ کنترلی و بی فاصله در دو سر.',
  },
  empty: { en: 'the name of an object is missing.', fa: 'نام فایل نیامده است.' },
  long: {
    en: `the name of an object has at most ${longestName} bytes in UTF-8.`,
    fa: 'نام فایل حداکثر ۱۰۲۴ بایت UTF-8 است.',
  },
  segment: {
    en: 'between slashes a name is neither empty nor . nor .. .',
    fa: 'میان ممیزها نام نه خالی است، نه . و نه ..',
  },
  control: {
    en: 'a name has no control characters and whole characters only.',
    fa: 'نام نویسهٔ کنترلی ندارد و نویسه‌هایش کامل‌اند.',
  },
  encoding: {
    en: 'the path is not percent-encoded UTF-8.',
    fa: 'نشانی به UTF-8 و با کدگذاری درصدی نوشته نشده است.',
  },
} satisfies Record<string, Localized>

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const control = /[\u0000-\u001f\u007f]/

/** In NFC. Throws BUCKET_INVALID. */
export function bucketName(stated: string): string {
  const why = (): never => fail('BUCKET_INVALID', { why: reasons.bucket }, { param: 'name' })
  if (stated.length > longestBucket * 4 || !stated.isWellFormed()) return why()
  const name = stated.normalize('NFC')
  const isFine =
    name.length > 0 && name.length <= longestBucket && name.trim() === name && !/[/\\]/.test(name)
  return isFine && !control.test(name) && name !== '.' && name !== '..' ? name : why()
}

/** In NFC. Throws OBJECT_NAME_INVALID. */
export function objectName(stated: string): string {
  const why = (reason: Localized): never => fail('OBJECT_NAME_INVALID', { why: reason }, { param: 'name' })
  if (stated === '') return why(reasons.empty)
  if (stated.length > longestName) return why(reasons.long)
  if (!stated.isWellFormed() || control.test(stated)) return why(reasons.control)
  const name = stated.normalize('NFC')
  if (Buffer.byteLength(name) > longestName) return why(reasons.long)
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return why(reasons.segment)
  return name
}

/** What stands before a name in a list: it may be empty, and end with a slash. Throws OBJECT_NAME_INVALID. */
export function namePrefix(stated: string): string {
  if (stated.length > longestName || !stated.isWellFormed() || control.test(stated))
    return fail('OBJECT_NAME_INVALID', { why: reasons.long }, { param: 'prefix' })
  return stated.normalize('NFC')
}

/** `bucket` and `name` of `/bucket/folder/name`, percent-encoded as it came. Throws OBJECT_NAME_INVALID and BUCKET_INVALID. */
export function placeIn(path: string): { bucket: string; name: string } {
  const decoded = decode(path.replace(/^\//, ''))
  const slash = decoded.indexOf('/')
  if (slash === -1) return fail('OBJECT_NAME_INVALID', { why: reasons.empty }, { param: 'name' })
  return { bucket: bucketName(decoded.slice(0, slash)), name: objectName(decoded.slice(slash + 1)) }
}

/** Throws OBJECT_NAME_INVALID. */
export function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return fail('OBJECT_NAME_INVALID', { why: reasons.encoding }, { param: 'name' })
  }
}

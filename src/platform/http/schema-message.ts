/** The messages for violations of a JSON Schema. */
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Localized } from '#platform/errors'
import { namePattern, noNulPattern, uuidPattern } from '#platform/schema'
import { persianDigits } from '#platform/words'

/** The message of an error. `path` is the path of the invalid field; empty for the body itself. */
export function messageOf(error: ErrorObject, path: string): Localized {
  const message = (sentences[error.keyword] ?? otherwise)(paramsOf(error), error.message)
  return {
    en: `${path === '' ? 'the body' : path} ${message.en}.`,
    fa: `${path === '' ? 'بدنهٔ درخواست' : path} ${message.fa}.`,
  }
}

type Params = ErrorObject['params']

/** The parameters of the error, with the tag values of a union and the meaning of a pattern (`patterned`). */
function paramsOf({ keyword, params, parentSchema }: ErrorObject): Params {
  if (keyword === 'pattern') return { ...params, wanted: parentSchema?.['x-wanted'] }
  if (keyword !== 'discriminator') return params
  const variants: { properties?: Record<string, { const?: unknown; enum?: unknown[] }> }[] =
    parentSchema?.['oneOf'] ?? []
  const allowedValues = variants.flatMap(({ properties }) => {
    const tag = properties?.[params['tag']]
    return tag?.enum ?? (tag?.const === undefined ? [] : [tag.const])
  })
  return { ...params, allowedValues }
}

type Sentence = (params: Params, message?: string) => Localized

const otherwise: Sentence = (_params, message) => ({ en: message ?? 'is not valid', fa: 'معتبر نیست' })
const listed = (values: unknown[], comma: string): string =>
  values.map((value) => JSON.stringify(value)).join(comma)

const limit =
  (en: (limit: number) => string, fa: (limit: string) => string): Sentence =>
  ({ limit }) => ({ en: en(limit), fa: fa(persianDigits(limit)) })

const sentences: Record<string, Sentence> = {
  required: () => ({ en: 'is required', fa: 'الزامی است' }),
  const: ({ allowedValue }) => ({
    en: `must be ${JSON.stringify(allowedValue)}`,
    fa: `باید ${JSON.stringify(allowedValue)} باشد`,
  }),
  enum: ({ allowedValues }) => ({
    en: `must be one of ${listed(allowedValues, ', ')}`,
    fa: `باید یکی از این‌ها باشد: ${listed(allowedValues, '، ')}`,
  }),
  type: ({ type }) => {
    const types = [type].flat().flatMap((name: string) => name.split(','))
    return {
      en: `must be ${types.map((name: string) => typeNames[name]?.en ?? name).join(' or ')}`,
      fa: `باید ${types.map((name: string) => typeNames[name]?.fa ?? name).join(' یا ')} باشد`,
    }
  },
  discriminator: (params) =>
    params['allowedValues'].length > 0
      ? sentences['enum']!(params)
      : { en: 'has a value that is not known', fa: 'مقدار ناشناخته‌ای دارد' },
  uniqueItems: ({ i, j }) => ({
    en: `must not hold the same item twice (${Math.min(i, j)} and ${Math.max(i, j)})`,
    fa: `نباید یک عضو را دو بار داشته باشد (${persianDigits(Math.min(i, j))} و ${persianDigits(Math.max(i, j))})`,
  }),
  minProperties: limit(
    (n) => `must have at least ${n === 1 ? 'one field' : `${n} fields`}`,
    (n) => `باید دست‌کم ${n} فیلد داشته باشد`,
  ),
  minimum: limit(
    (n) => `must be at least ${n}`,
    (n) => `باید دست‌کم ${n} باشد`,
  ),
  maximum: limit(
    (n) => `must be at most ${n}`,
    (n) => `باید حداکثر ${n} باشد`,
  ),
  minLength: ({ limit: least }) =>
    least === 1
      ? { en: 'must not be empty', fa: 'نباید خالی باشد' }
      : {
          en: `must have at least ${least} characters`,
          fa: `باید دست‌کم ${persianDigits(least)} کاراکتر داشته باشد`,
        },
  maxLength: limit(
    (n) => `must have at most ${n} characters`,
    (n) => `باید حداکثر ${n} کاراکتر داشته باشد`,
  ),
  minItems: limit(
    (n) => `must have at least ${items(n)}`,
    (n) => `باید دست‌کم ${n} عضو داشته باشد`,
  ),
  maxItems: limit(
    (n) => `must have at most ${items(n)}`,
    (n) => `باید حداکثر ${n} عضو داشته باشد`,
  ),
  pattern: ({ pattern, wanted }) =>
    wanted ?? patterns[pattern] ?? { en: `must match ${pattern}`, fa: `باید با الگوی ${pattern} بخواند` },
}

const items = (count: number): string => (count === 1 ? 'one item' : `${count} items`)

/** Patterns with a message of their own, so that nobody has to read a regular expression. */
const patterns: Record<string, Localized> = {
  [uuidPattern]: {
    en: 'must be an id as this service gives it (a UUID)',
    fa: 'باید شناسه‌ای باشد که همین سرور داده است (UUID)',
  },
  [noNulPattern]: {
    en: 'must not contain the character U+0000',
    fa: 'نباید کاراکتر U+0000 داشته باشد',
  },
  [namePattern]: {
    en: 'must be a name on one line, without / and \\',
    fa: 'باید نامی در یک خط باشد، بدون / و \\',
  },
}

const typeNames: Record<string, Localized> = {
  string: { en: 'a string', fa: 'رشته' },
  number: { en: 'a number', fa: 'عدد' },
  integer: { en: 'an integer', fa: 'عدد صحیح' },
  boolean: { en: 'true or false', fa: 'true یا false' },
  object: { en: 'an object', fa: 'شیء' },
  array: { en: 'an array', fa: 'فهرست' },
}

import { findArithmetic } from './arithmetic.ts'
import { shorten } from './compose.ts'
import { asciiDigits, phraseText } from './phrases.ts'
import type { Question } from './question.ts'
import type { ValuePosition } from './schema-sample.ts'
import { type SchemaObject, stringList } from './schema-shape.ts'

const placeNames =
  /^(?:city|location|place|town|destination|origin|address|region|cities|locations|places|شهر|مکان)$/
const questionNames =
  /^(?:query|q|question|text|prompt|message|input|search|search_?query|keywords?|topic|subject|title|content|body|پرسش|متن)$/
const answerNames =
  /^(?:answer|summary|result|response|reply|output|explanation|description|reasoning|steps?|پاسخ|خلاصه)$/

const dates = /(?<!\d)\d{4}[-/]\d{1,2}[-/]\d{1,2}(?!\d)/g

/**
 * Values from the user's text, chosen by the name of the property: a place, the question, a number, a telephone number, an address, a calculation, a
 * date, or a command between backticks. `places` are the places that the value may name.
 */
export function hintsFrom(question: Question, places: readonly string[]) {
  // The text is bounded, since some of the patterns below are quadratic.
  const text = question.text.slice(0, 4000)
  const plain = asciiDigits(text)
  const numbers = (plain.match(/(?<![\p{L}\d.])-?\d{1,15}(?:\.\d{1,9})?/gu) ?? []).map(Number)
  const asked = shorten(question.text)
  const arithmetic = findArithmetic(text)
  const datesNamed = plain.match(dates) ?? []
  let nextNumber = 0
  let nextDate = 0
  return ({ name }: ValuePosition, schema: SchemaObject): unknown => {
    if (Array.isArray(schema['enum'])) return mentioned(schema['enum'], text)
    const types = stringList(schema['type'])
    const key = name.toLowerCase()
    if (types.includes('number') || types.includes('integer')) {
      const number = numbers[nextNumber]
      if (number !== undefined) nextNumber += 1
      return number
    }
    if (!types.includes('string') && types.length > 0) return undefined
    if (/e-?mail/.test(key)) return /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0]
    if (/^(?:phone|tel|mobile)/.test(key)) return /\+?\d[\d ().-]{5,22}\d/.exec(plain)?.[0]
    if (/^(?:url|uri|link|href|website)$/.test(key)) return /https?:\/\/[^\s"'<>«»]+/.exec(text)?.[0]
    if (schema['format'] === 'date') return /\b\d{4}-\d{2}-\d{2}\b/.exec(plain)?.[0]
    if (schema['format'] !== undefined) return undefined
    if (/^(?:date|until)$/.test(key) && datesNamed[nextDate]) return datesNamed[nextDate++]
    if (/^time_?zone$/.test(key)) return /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+/.exec(text)?.[0] ?? 'Asia/Tehran'
    if (/^(?:command|script)$/.test(key)) return /`([^`]+)`/.exec(text)?.[1] ?? 'date'
    if (/^(?:expression|formula|equation|calculation)$/.test(key)) return arithmetic?.expression ?? asked
    if (placeNames.test(key)) return places[0] ?? phraseText(question.language, 'samplePlace')
    if (/^(?:language|lang|locale)$/.test(key)) return question.language
    if (questionNames.test(key)) return asked === '' ? undefined : asked
    if (answerNames.test(key)) return phraseText(question.language, 'objectAnswer')
    return undefined
  }
}

function mentioned(members: readonly unknown[], text: string): unknown {
  const lower = text.toLowerCase()
  return members.find(
    (member) => typeof member === 'string' && member !== '' && lower.includes(member.toLowerCase()),
  )
}

/** The name of the property that takes one place, so that several places make several calls; undefined if the tool has none. */
export function placeProperty(parameters: SchemaObject): string | undefined {
  const properties = parameters['properties']
  if (typeof properties !== 'object' || properties === null) return undefined
  return Object.entries(properties).find(
    ([name, schema]) =>
      placeNames.test(name.toLowerCase()) &&
      stringList((schema as SchemaObject | null)?.['type']).includes('string'),
  )?.[0]
}

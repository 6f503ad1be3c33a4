/** What a text in the search box may be. */
import { latinDigits } from '../../words/digits.ts'

/** The text without blanks and without the signs of direction that come along when it is copied from a page in Persian. */
export const cleanWanted = (text: string): string =>
  text.replace(/[\u200e\u200f\u061c\u2066-\u2069]/g, '').trim()

/**
 * The id of a request that the text is: a UUID, with the prefix of a request or of an answer or with none, with or without hyphens. Undefined where it
 * is none.
 */
export function requestIdIn(text: string): string | undefined {
  const bare = latinDigits(text)
    .replace(/^(?:req_|msg_|resp_|chatcmpl-)/i, '')
    .toLowerCase()
  const hex = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/.test(bare)
    ? bare.replaceAll('-', '')
    : undefined
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** What the API takes as an idempotency key, in characters. */
export const maxKeyLength = 128

/** Whether the text may be an idempotency key, by the rule of the API: it takes every alphabet, and blanks within. */
export const mayBeIdempotencyKey = (text: string): boolean => isId(text, maxKeyLength)

/** Whether the text may be the id of a customer or a reference. */
export const mayBeCallersId = (text: string): boolean => isId(text, 120)

function isId(text: string, maxLength: number): boolean {
  const { length } = [...text]
  return length >= 1 && length <= maxLength && !text.includes('\0')
}

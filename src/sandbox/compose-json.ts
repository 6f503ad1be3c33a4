import { UpstreamError } from '#core/spec'
import type { OutputFormat } from '#core/turn'
import { plainly } from '#platform/json'
import { composeText, shorten } from './compose.ts'
import { describeMedia } from './describe-media.ts'
import { hintsFrom } from './hints.ts'
import { phraseText } from './phrases.ts'
import { findPlaces } from './places.ts'
import type { Question } from './question.ts'
import { sampleSchema, UnsatisfiableSchema } from './schema-sample.ts'

/**
 * The JSON answer: valid by the schema, with values from the question where the property names allow it; without a schema, a small object
 * about the question. Throws `UpstreamError('invalid_request')` when no value can be made.
 */
export function composeJson(
  output: Exclude<OutputFormat, { type: 'text' }>,
  question: Question,
  seed: number,
): string {
  if (output.type === 'json_object') return JSON.stringify(aboutQuestion(question, seed))
  const hint = hintsFrom(question, findPlaces(question.text))
  try {
    return JSON.stringify(
      sampleSchema(plainly(output.schema), { hint, text: phraseText(question.language, 'sampleText') }),
    )
  } catch (error) {
    if (!(error instanceof UnsatisfiableSchema)) throw error
    const param = 'response_format.json_schema.schema'
    const detail = `Schema "${output.name}"${error.path && ` at ${error.path}`}: ${error.message}`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, param, detail })
  }
}

function aboutQuestion(question: Question, seed: number): Record<string, unknown> {
  const media = question.media.map((each) => describeMedia(each, question.language))
  return {
    sandbox: true,
    language: question.language,
    question: shorten(question.text),
    ...(media.length > 0 ? { media } : {}),
    answer: composeText({ ...question, media: [] }, seed),
  }
}

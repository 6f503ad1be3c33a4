import { singleLine } from '../cut.ts'
import { titleOf } from '../document/outline.ts'
import { listIn, readJson, textIn } from '../json.ts'
import type { Task } from '../pipelines.ts'
import { type DepthLimits, limitsOfDepth } from './budget.ts'

/** The questions of a research run and its search queries. */
export interface Inquiry {
  title: string
  questions: string[]
  queries: string[]
}

const maxCharacters = { question: 300, query: 160 }

export const inquirySchema = (limits: DepthLimits) => ({
  type: 'object',
  properties: {
    title: { type: 'string' },
    questions: { type: 'array', minItems: 1, maxItems: limits.questions, items: { type: 'string' } },
    queries: { type: 'array', minItems: 1, maxItems: limits.queries, items: { type: 'string' } },
  },
  required: ['title', 'questions', 'queries'],
})

/** Parses the model's plan. If it planned nothing, the task itself is the question and the query. */
export function inquiryOf(answer: string | undefined, task: Task): Inquiry {
  const json = answer === undefined ? undefined : readJson(answer)
  const lines = (name: string, count: number, characters: number) => [
    ...new Set(
      listIn(json, name, count)
        .map((entry) =>
          singleLine(
            typeof entry === 'string' ? entry : textIn(entry, 'question') || textIn(entry, 'query'),
            characters,
          ),
        )
        .filter((line) => line !== ''),
    ),
  ]
  const title = titleOf(task, textIn(json, 'title'))
  const limits = limitsOfDepth(task)
  const questions = lines('questions', limits.questions, maxCharacters.question)
  const queries = lines('queries', limits.queries, maxCharacters.query)
  return {
    title,
    questions: questions.length > 0 ? questions : [singleLine(task.input, maxCharacters.question)],
    queries: queries.length > 0 ? queries : [singleLine(task.title ?? task.input, maxCharacters.query)],
  }
}

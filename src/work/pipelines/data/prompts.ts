import { truncatedText } from '../cut.ts'
import type { Task } from '../pipelines.ts'
import { dataBlock, type Prompt, systemText, taskText } from '../prompts.ts'
import type { FoundTable } from './compute.ts'
import type { Figure } from './labelled-figures.ts'
import { maxViews, viewsSchema } from './plan-views.ts'

const role =
  'You are a careful data analyst. You never calculate: a program computes every number, and you say what is worth computing and what it means.'

const sampleRows = 6

/** The table in a prompt: its columns with their statistics, and its first rows. */
function tableText({ sample, rows: count, profile }: FoundTable): string {
  const columns = profile.map(({ name, kind, missing, distinct, min, max, top }) =>
    JSON.stringify({
      name,
      kind,
      missing,
      distinct,
      ...(min && { min, max }),
      ...(top && { top: top.slice(0, 5).map(({ value }) => value.slice(0, 60)) }),
    }),
  )
  const rows = sample
    .slice(0, sampleRows)
    .map((row) => JSON.stringify(row.map((cell) => cell?.slice(0, 60) ?? null)))
  return truncatedText([`Columns:`, ...columns, `The first of ${count} rows:`, ...rows].join('\n'), 10_000)
}

export const viewsPrompt = (task: Task, found: FoundTable): Prompt => ({
  system: systemText(role, task, 'short'),
  subject: taskText(task, 'short'),
  material: `The data:\n${dataBlock('table', tableText(found))}`,
  instruction: `Say what is to be computed for this task: at most ${maxViews} views, the most telling first. A view groups the rows by the column "by" (days also by month or year: "bucket") and measures the column "column" in each group; measure "count" needs no column, "distinct" counts different values of any column. "top" keeps the largest groups and puts the others together. For two columns of numbers against each other chart is "scatter", by is x and column is y. Use the names of the columns exactly. Titles are short and hold no numbers.`,
  schema: viewsSchema,
})

export const summaryPrompt = (task: Task, found: FoundTable, figures: readonly Figure[]): Prompt => ({
  system: systemText(role, task, 'short'),
  subject: taskText(task, 'short'),
  material: `The data:\n${dataBlock('table', tableText(found))}\n\nThe computed figures:\n${dataBlock('figures', figures.map(({ id, label, text }) => `${id}: ${label} = ${text}`).join('\n'))}`,
  instruction:
    'Write what these figures mean for the task, in Markdown, 2 to 5 short paragraphs or lists without a heading. Write no digits: where a number belongs put its name in double braces, as in {{f3}}; the program puts the number there. Sentences with other numbers are left out. Do not calculate, and do not explain what the data cannot tell.',
})

import { singleLine } from '../cut.ts'
import { listIn, readJson, textIn } from '../json.ts'
import type { Task } from '../pipelines.ts'
import { fallbackOutline } from './phrases.ts'

export interface OutlineSection {
  title: string
  brief: string
}

export interface Outline {
  title: string
  subtitle: string
  sections: OutlineSection[]
}

export const maxSections = 10
const maxCharacters = { title: 120, subtitle: 160, heading: 120, brief: 800 }

/** JSON Schema of an outline with at most `maxItems` sections. */
export const outlineSchema = (maxItems = maxSections) => ({
  type: 'object',
  properties: {
    title: { type: 'string' },
    subtitle: { type: 'string' },
    sections: {
      type: 'array',
      minItems: 1,
      maxItems,
      items: {
        type: 'object',
        properties: { heading: { type: 'string' }, brief: { type: 'string' } },
        required: ['heading', 'brief'],
      },
    },
  },
  required: ['title', 'sections'],
})

/** Parses the model's outline, within its limits; without one, returns a default outline. The caller's title takes precedence. */
export function outlineOf(answer: string | undefined, task: Task, maxCount = maxSections): Outline {
  const json = answer === undefined ? undefined : readJson(answer)
  const seen = new Set<string>()
  const sections = listIn(json, 'sections', maxCount).flatMap((entry) => {
    const title = withoutNumber(
      singleLine(
        typeof entry === 'string' ? entry : textIn(entry, 'heading') || textIn(entry, 'title'),
        maxCharacters.heading,
      ),
    )
    if (title === '' || seen.has(title)) return []
    seen.add(title)
    return [{ title, brief: singleLine(textIn(entry, 'brief'), maxCharacters.brief) }]
  })
  return {
    title: titleOf(task, textIn(json, 'title')),
    subtitle: singleLine(textIn(json, 'subtitle'), maxCharacters.subtitle),
    sections: sections.length > 0 ? sections : fallbackOutline[task.language],
  }
}

/** The caller's title, else the model's unless it is a simulator, else the beginning of the task. */
export const titleOf = ({ title, input, isSandbox }: Task, written: string): string =>
  singleLine(title ?? '', maxCharacters.title) ||
  (isSandbox ? '' : singleLine(written, maxCharacters.title)) ||
  singleLine(input, 80)

/** Removes a heading's number, since the document writers number headings themselves. */
export const withoutNumber = (title: string): string =>
  title.replace(/^(?:[\d۰-۹]{1,2}(?:[.\-–][\d۰-۹]{1,2})*\s?[.)\-–:]|#{1,6})\s*(?=\p{L})/u, '')

import type { Language } from '#work/documents'
import { type Localized, sandboxPhrases } from '../phrases.ts'

export const codePhrases = {
  planning: { fa: 'طرح پروژه', en: 'Planning the project' },
  plan: { fa: 'طرح پروژه', en: 'the plan of the project' },
  writing: (path: string): Localized => ({ fa: `نوشتن ${path}`, en: `Writing ${path}` }),
  checking: (path: string): Localized => ({ fa: `بررسی ${path}`, en: `Checking ${path}` }),
  file: (path: string): Localized => ({ fa: `فایل ${path}`, en: `the file ${path}` }),
  mend: (path: string): Localized => ({ fa: `اصلاح ${path}`, en: `the correction of ${path}` }),
  fault: (path: string): Localized => ({ fa: `${path} خطای نحوی دارد`, en: `${path} has a syntax error` }),
  packing: { fa: 'بسته‌بندی پروژه', en: 'Packing the project' },
  zip: { fa: 'همهٔ پروژه', en: 'The whole project' },
  done: { fa: 'پروژه آماده است.', en: 'The project is ready.' },
  partial: { fa: 'پروژه تا جایی که شد آماده است.', en: 'The project is ready as far as it could be made.' },
} as const

export interface ReadmeAbout {
  faults: readonly { path: string; fault: string }[]
  missing: readonly string[]
  checked: readonly string[]
  isSandbox: boolean
}

/** Facts for the README about how the project was made. */
export function readmeNotes(
  { faults, missing, checked, isSandbox }: ReadmeAbout,
  language: Language,
): string {
  const fa = language === 'fa'
  const list = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [heading, '', ...lines.map((line) => `- ${line}`), '']
  return [
    fa ? '## دربارهٔ این بسته' : '## About this package',
    '',
    ...(isSandbox ? [`> ${sandboxPhrases.notice[language]}`, ''] : []),
    fa
      ? 'این پروژه را مدل زبانی نوشته و هیچ‌یک از برنامه‌هایش اجرا نشده است؛ پیش از اجرا آن را بخوانید.'
      : 'A language model wrote this project, and none of its programs was run: read it before you run it.',
    '',
    ...list(
      fa ? 'نحو این فایل‌ها با تجزیه‌گر سنجیده شد:' : 'A parser found the syntax of these files right:',
      checked.map((path) => `\`${path}\``),
    ),
    ...list(
      fa ? 'این فایل‌ها خطای نحوی دارند:' : 'These files have syntax errors:',
      faults.map(({ path, fault }) => `\`${path}\`: \`${fault.replaceAll('`', "'")}\``),
    ),
    ...list(
      fa ? 'این فایل‌ها نوشته نشدند:' : 'These files were not written:',
      missing.map((path) => `\`${path}\``),
    ),
  ].join('\n')
}

/** The README of a project for which the model wrote none. */
export const plainReadme = (
  title: string,
  description: string,
  paths: readonly string[],
  language: Language,
): string =>
  [
    `# ${title}`,
    '',
    ...(description ? [description, ''] : []),
    language === 'fa' ? '## فایل‌ها' : '## Files',
    '',
    ...paths.map((path) => `- \`${path}\``),
    '',
  ].join('\n')

/** Parts of the sentences by which callers choose a kind. */
export const codeKindPhrases = {
  makes: { fa: 'پوشهٔ برنامه', en: 'a tree of source files' },
}

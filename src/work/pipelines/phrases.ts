import type { Language } from '#work/documents'
import { inDigits } from '#work/documents'
import type { Gap, GapReason } from './budgeted-steps.ts'
import type { PipelineResult } from './pipelines.ts'

/** A sentence for people, in both languages. */
export type Localized = { fa: string; en: string }

export const sandboxPhrases = {
  /** The notice in documents. */
  notice: {
    fa: 'این متن را مدل‌های آزمایشی سندباکس ساخته‌اند: ساختار فایل درست است، ولی محتوای آن واقعی نیست.',
    en: 'This text was made by sandbox models: the form of the file is right, but its content is not real.',
  },
  /** The mark that is appended to titles. */
  mark: { fa: 'خروجی سندباکس', en: 'sandbox output' },
} satisfies Record<string, Localized>

export const titleWithMark = (title: string, language: Language, isSandbox: boolean): string =>
  isSandbox ? `${title} (${sandboxPhrases.mark[language]})` : title

const gapReasons: Record<GapReason, Localized> = {
  credits: { fa: 'اعتبار اجرا تمام شد', en: 'the credits of the run ran out' },
  lost: {
    fa: 'نتیجهٔ گام گم شد و دوباره پرسیده نمی‌شود',
    en: 'the outcome of the step was lost, and it is not asked again',
  },
  failed: { fa: 'مدل پاسخ نداد', en: 'the model gave no answer' },
  empty: { fa: 'پاسخ خالی بود', en: 'the answer was empty' },
  cut: { fa: 'پاسخ نیمه‌کاره ماند', en: 'the answer was cut' },
  none: { fa: 'یافت نشد', en: 'none was found' },
  unfounded: { fa: 'هیچ جمله‌اش پشتوانه نداشت', en: 'none of its sentences held' },
  fault: { fa: 'در README نشان‌دار شد', en: 'it is marked in the README' },
  render: { fa: 'فایل ساخته نشد', en: 'the file could not be made' },
}

/** Reasons for an unread link, in addition to errors of its host; used after a colon or in brackets. */
export const budgetPhrases = {
  noReads: {
    fa: 'اعتبار یا سقف خواندن صفحه‌های این کار تمام شده بود',
    en: 'the run had no credits or reads left for it',
  },
  lost: { fa: 'نتیجهٔ خواندن گم شد', en: 'the outcome of reading it was lost' },
} satisfies Record<string, Localized>

const maxGaps = 8

/** A gap with its reason: «بخش «الف» (اعتبار اجرا تمام شد)». */
export const gapText = ({ what, reason }: Gap, language: Language): string =>
  `${what[language]} (${(typeof reason === 'string' ? gapReasons[reason] : reason)[language].replace(/[.。]$/, '')})`

/** The gaps as lines, without duplicates. */
export function gapLines(gaps: readonly Gap[], language: Language): string[] {
  const lines = [...new Set(gaps.map((gap) => gapText(gap, language)))]
  if (lines.length <= maxGaps) return lines
  const more = inDigits(language, lines.length - maxGaps)
  return [...lines.slice(0, maxGaps), language === 'fa' ? `و ${more} مورد دیگر` : `and ${more} more`]
}

/** The outcome of a run, with a summary of what was made and what is missing. */
export function pipelineResult(
  done: Localized,
  gaps: readonly Gap[],
  isComplete = gaps.length === 0,
): PipelineResult {
  const missing = { fa: gapLines(gaps, 'fa').join('؛ '), en: gapLines(gaps, 'en').join('; ') }
  const words =
    gaps.length === 0
      ? done
      : { fa: `${done.fa} جا مانده: ${missing.fa}.`, en: `${done.en} Left out: ${missing.en}.` }
  return { isComplete, words }
}

export const missingHeading: Localized = { fa: 'آنچه در این فایل نیست', en: 'What is missing here' }

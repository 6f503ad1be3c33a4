/** The sentences that a call itself speaks, in the language that is spoken in it. */
import type { Language } from '#platform/errors'
import type { CallNotice, CallView } from '../../parts.ts'

type CallSentences = Record<Language, string>

/** Sentences while a tool runs, so that nobody waits in silence; the last one is repeated. */
const waiting: readonly CallSentences[] = [
  { fa: 'یک لحظه، دارم نگاه می‌کنم.', en: 'One moment, let me check.' },
  { fa: 'هنوز دارم بررسی می‌کنم؛ کمی صبر کنید.', en: 'I am still looking; please wait a little.' },
]

export const waitingSentence = (language: Language, said: number): string =>
  waiting[Math.min(said, waiting.length - 1)]![language]

export const noticeSentences: Record<CallNotice, CallSentences> = {
  credits: {
    fa: 'اعتبار حساب برای ادامهٔ این تماس رو به پایان است.',
    en: 'The credit for this call is nearly used up.',
  },
  expired: {
    fa: 'زمان این تماس رو به پایان است.',
    en: 'The time of this call is nearly over.',
  },
}

export const farewell: CallSentences = {
  fa: 'اعتبار این تماس تمام شد. خدانگهدار.',
  en: 'The credit for this call has run out. Goodbye.',
}

/** The length that is held with every turn, so that the farewell can be spoken when the balance covers no further turn. */
export const farewellOfMaxLength: string = Object.values(farewell).reduce((a, b) =>
  a.length < b.length ? b : a,
)

const persianLetter = /[\u0600-\u06ff]/

/** The language of the call: that set for its transcription, else the one spoken last, else that of the request. */
export function spokenLanguage(
  { session, conversation }: Pick<CallView, 'session' | 'conversation'>,
  otherwise: Language,
): Language {
  const named = session.transcription.language
  if (named !== undefined) return named.toLowerCase().startsWith('fa') ? 'fa' : 'en'
  const said = conversation.items.findLast(({ role }) => role === 'user')?.content ?? []
  const text = said
    .map((part) => ('transcript' in part ? part.transcript : 'text' in part ? part.text : ''))
    .join('')
  if (text.trim() === '') return otherwise
  return persianLetter.test(text) ? 'fa' : 'en'
}

import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    CONVERSATION_FULL: { max: number }
  }
}

declareFailures({
  CONVERSATION_FULL: {
    status: 403,
    retry: false,
    en: ({ max }) => `A conversation has at most ${max} messages; begin another one.`,
    fa: ({ max }) => `هر گفت‌وگو حداکثر ${persian(max)} پیام دارد؛ گفت‌وگوی دیگری آغاز کنید.`,
  },
})

/** Why a request is refused. */
export const reasons = {
  otherCursor: {
    en: 'cursor is no next_cursor of this list.',
    fa: 'مقدار cursor از next_cursor این فهرست نیست.',
  },
  blankTitle: {
    en: 'title has nothing that can be seen.',
    fa: 'عنوان چیزی که دیده شود ندارد.',
  },
}

import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    NO_SOUND_TO_COMMIT: Record<string, never>
    NO_ACTIVE_RESPONSE: Record<string, never>
    RESPONSE_ACTIVE: { response: string }
  }
}

/** The errors of turns and responses in `error` events. */
export const pipelineFailures = declareFailures({
  NO_SOUND_TO_COMMIT: {
    status: 400,
    en: () => 'There is less than 100 ms of sound to commit: send some first.',
    fa: () => 'کمتر از ۱۰۰ میلی‌ثانیه صدا برای ثبت هست: نخست صدا بفرستید.',
  },
  NO_ACTIVE_RESPONSE: {
    status: 400,
    en: () => 'No such response is under way: there is nothing to cancel.',
    fa: () => 'چنین پاسخی در جریان نیست: چیزی برای لغوکردن نیست.',
  },
  RESPONSE_ACTIVE: {
    status: 409,
    en: ({ response }) => `The response ${response} is under way: wait for response.done, or cancel it.`,
    fa: ({ response }) => `پاسخ ${response} در جریان است: منتظر response.done بمانید یا آن را لغو کنید.`,
  },
})

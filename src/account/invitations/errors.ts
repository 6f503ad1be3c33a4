import { declareFailures } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    INVITATION_INVALID: Record<string, never>
    INVITATION_FOR_ANOTHER: Record<string, never>
    ROLE_TOO_HIGH: Record<string, never>
    TOO_MANY_INVITATIONS: { max: number }
  }
}

declareFailures({
  INVITATION_INVALID: {
    status: 404,
    retry: false,
    en: () =>
      'This invitation was used, revoked or has expired, or whoever sent it may no longer invite. Ask for a new one.',
    fa: () =>
      'این دعوت استفاده شده، لغو شده یا مهلتش گذشته است، یا فرستنده‌اش دیگر اجازهٔ دعوت ندارد. دعوت تازه‌ای بخواهید.',
  },
  INVITATION_FOR_ANOTHER: {
    status: 403,
    retry: false,
    en: () =>
      'This invitation is for another e-mail address. Sign in with that address, prove it in your profile, or ask for an invitation to yours.',
    fa: () =>
      'این دعوت برای نشانی ایمیل دیگری است. با همان نشانی وارد شوید، آن را در نمایهٔ خود تأیید کنید، یا بخواهید نشانی خودتان را دعوت کنند.',
  },
  ROLE_TOO_HIGH: {
    status: 403,
    retry: false,
    en: () =>
      'Your role does not reach so far: nobody gives more than they have, and only owners change owners. Ask an owner of the account.',
    fa: () =>
      'نقش شما به این نمی‌رسد: هیچ‌کس بیش از آنچه دارد نمی‌دهد، و مالک را فقط مالک تغییر می‌دهد. از یکی از مالکان حساب بخواهید.',
  },
  TOO_MANY_INVITATIONS: {
    status: 429,
    en: ({ max }) => `An account sends at most ${max} invitations a day. Try again later.`,
    fa: ({ max }) => `هر حساب در روز حداکثر ${persian(max)} دعوت می‌فرستد. بعداً دوباره بکوشید.`,
  },
})

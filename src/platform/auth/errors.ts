import { declareFailures } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    INVALID_API_KEY: Record<string, never>
    INSUFFICIENT_SCOPE: { scope: string }
    ACCOUNT_SUSPENDED: Record<string, never>
    PLAN_REQUIRED: Record<string, never>
    ORIGIN_NOT_ALLOWED: { origin: string }
    NOT_SIGNED_IN: Record<string, never>
    SESSION_REQUIRED: Record<string, never>
    INSUFFICIENT_ROLE: { right: string }
    STEP_UP_REQUIRED: Record<string, never>
    PROJECT_REQUIRED: Record<string, never>
  }
}

declareFailures({
  INVALID_API_KEY: {
    status: 401,
    en: () =>
      'The API key is missing, mistyped, expired or revoked. Send it as `Authorization: Bearer khr_…`.',
    fa: () =>
      'کلید API فرستاده نشده، نادرست است، منقضی شده یا باطل شده است. آن را به شکل `Authorization: Bearer khr_…` بفرستید.',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    en: ({ scope }) => `This key lacks the scope ${scope}. Make a key that has it.`,
    fa: ({ scope }) => `این کلید دسترسی ${scope} را ندارد. کلیدی با این دسترسی بسازید.`,
  },
  ACCOUNT_SUSPENDED: {
    status: 403,
    en: () => 'This account is suspended. Ask the operator of this service.',
    fa: () => 'این حساب معلق شده است. از گردانندهٔ سرویس بپرسید.',
  },
  PLAN_REQUIRED: {
    status: 403,
    en: () => 'This account has no plan yet. Ask the operator of this service for one.',
    fa: () => 'این حساب هنوز طرحی ندارد. از گردانندهٔ سرویس بخواهید طرحی برای آن بگذارد.',
  },
  NOT_SIGNED_IN: {
    status: 401,
    en: () => 'You are not signed in, or your session has ended. Sign in and try again.',
    fa: () => 'وارد نشده‌اید یا نشست شما پایان یافته است. وارد شوید و دوباره امتحان کنید.',
  },
  SESSION_REQUIRED: {
    status: 403,
    en: () => 'Only a person who is signed in may do this, never a key. Sign in to the console.',
    fa: () => 'این کار فقط از کسی برمی‌آید که وارد شده است، نه از کلید. وارد کنسول شوید.',
  },
  INSUFFICIENT_ROLE: {
    status: 403,
    en: ({ right }) =>
      `Your role in this account lacks the right ${right}. Ask an owner of the account for another role.`,
    fa: ({ right }) =>
      `نقش شما در این حساب دسترسی ${right} را ندارد. از یکی از مالکان حساب نقش دیگری بخواهید.`,
  },
  STEP_UP_REQUIRED: {
    status: 403,
    en: () => 'This needs a factor that was given in the last 10 minutes. Confirm who you are and try again.',
    fa: () =>
      'این کار تأیید هویتی می‌خواهد که بیش از ۱۰ دقیقه از آن نگذشته باشد. هویت خود را تأیید کنید و دوباره امتحان کنید.',
  },
  PROJECT_REQUIRED: {
    status: 400,
    en: () => 'You have several projects. Name one by its id in the header X-Kherad-Project.',
    fa: () => 'شما چند پروژه دارید. شناسهٔ یکی را در هدر X-Kherad-Project بفرستید.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    en: ({ origin }) =>
      `This key is not for pages of ${origin}. Ask the operator to add it: kherad key set KEY --origins …`,
    fa: ({ origin }) =>
      `این کلید برای صفحه‌های ${origin} نیست. از گردانندهٔ سرویس بخواهید آن را بیفزاید: kherad key set KEY --origins …`,
  },
})

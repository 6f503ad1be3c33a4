import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    ALREADY_MEMBER: Record<string, never>
    MEMBER_OF_PROVIDER: { provider: string }
  }
}

declareFailures({
  ALREADY_MEMBER: {
    status: 409,
    retry: false,
    en: () => 'Somebody with this address is a member already. Change the role of that member instead.',
    fa: () => 'کسی با این نشانی هم‌اکنون عضو است. به جای دعوت، نقش همان عضو را تغییر دهید.',
  },
  MEMBER_OF_PROVIDER: {
    status: 409,
    retry: false,
    en: ({ provider }) =>
      `Role and projects of this member follow the sign-in with ${provider}, and would be set again there. Change them at that provider.`,
    fa: ({ provider }) =>
      `نقش و پروژه‌های این عضو از ورود با ${provider} می‌آید و آنجا دوباره گذاشته می‌شود. آن را نزد همان ارائه‌دهنده تغییر دهید.`,
  },
})

/** Why a value is refused, in words. */
export const reasons = {
  nothing: {
    en: 'the body changes nothing; name at least one member.',
    fa: 'بدنه چیزی را تغییر نمی‌دهد؛ دست‌کم یک عضو آن را بفرستید.',
  } satisfies Localized,
  timeZone: {
    en: 'time_zone must be a name of the IANA database, such as Asia/Tehran.',
    fa: 'time_zone باید نامی از فهرست IANA باشد، مانند Asia/Tehran.',
  } satisfies Localized,
  email: {
    en: 'email must be one e-mail address, such as sara@example.com.',
    fa: 'email باید یک نشانی ایمیل باشد، مانند sara@example.com.',
  } satisfies Localized,
  projects: {
    en: 'project_ids must name projects of this account.',
    fa: 'project_ids باید پروژه‌های همین حساب را نام ببرد.',
  } satisfies Localized,
  ownerProjects: {
    en: 'an owner has all projects; leave project_ids out, or choose another role.',
    fa: 'مالک همهٔ پروژه‌ها را دارد؛ project_ids را نفرستید یا نقش دیگری برگزینید.',
  } satisfies Localized,
  capProject: {
    en: 'month_caps must name projects that this member may use.',
    fa: 'month_caps باید پروژه‌هایی را نام ببرد که در دسترس این عضو است.',
  } satisfies Localized,
}

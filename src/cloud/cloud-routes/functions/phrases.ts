/** Why a request about functions is refused. */
export const reasons = {
  reservedName: {
    en: 'names that begin with SUPABASE_ or KHERAD_ are set by the platform; choose another one.',
    fa: 'نام‌هایی که با SUPABASE_ یا KHERAD_ آغاز می‌شوند از آنِ سکو هستند؛ نام دیگری برگزینید.',
  },
  noSuchTime: {
    en: 'since has to be a time that exists, such as 2026-11-26T08:30:00Z.',
    fa: 'since باید زمانی موجود باشد، مانند 2026-11-26T08:30:00Z.',
  },
}

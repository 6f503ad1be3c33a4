/** The reasons for which speech is refused. */
export const reasons = {
  noEvents: {
    en: 'events are not offered: leave it out or send audio; the sound is streamed as it comes.',
    fa: 'رویداد ارائه نمی‌شود: حذفش کنید یا audio بفرستید؛ صدا همان‌گونه که می‌آید جاری می‌شود.',
  },
}

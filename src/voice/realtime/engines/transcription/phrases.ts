/** The reasons for which a transcription session refuses an event. */
export const reasons = {
  noAnswers: {
    en: 'this session writes down what is said and answers nothing: for answers begin one of the type realtime.',
    fa: 'این نشست فقط گفته‌ها را می‌نویسد و پاسخی نمی‌دهد: برای پاسخ، نشستی از نوع realtime آغاز کنید.',
  },
} as const

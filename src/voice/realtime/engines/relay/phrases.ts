/** The reasons for which the relay refuses an event. */
export const reasons = {
  noSound: {
    en: 'there is less than 100 ms of sound to commit: send some first.',
    fa: 'کمتر از ۱۰۰ میلی‌ثانیه صدا برای ثبت هست: نخست صدا بفرستید.',
  },
  notActive: {
    en: 'no such response is under way: there is nothing to cancel.',
    fa: 'چنین پاسخی در جریان نیست: چیزی برای لغوکردن نیست.',
  },
  active: {
    en: 'a response is under way: wait for response.done, or cancel it.',
    fa: 'پاسخی در جریان است: منتظر response.done بمانید یا آن را لغو کنید.',
  },
  outside: {
    en: 'this model answers its own conversation only: leave `conversation` and `input` out.',
    fa: 'این مدل فقط گفت‌وگوی خودش را پاسخ می‌دهد: `conversation` و `input` را حذف کنید.',
  },
} as const

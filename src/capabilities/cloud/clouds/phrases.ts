/** What the routes of clouds say beside errors. */
export const phrases = {
  starter: {
    en: 'Free within its limits and ready at once. At a limit calls are refused; nothing is ever charged.',
    fa: 'در سقف‌هایش رایگان و همان دم آماده. در سقف، درخواست‌ها رد می‌شوند و هرگز چیزی کسر نمی‌شود.',
  },
  dedicated: {
    en: 'A database, buckets and functions of its own. Not offered here.',
    fa: 'پایگاه داده، باکت‌ها و تابع‌های اختصاصی. این‌جا ارائه نمی‌شود.',
  },
}

/** Why a request about a cloud is refused. */
export const reasons = {
  otherName: {
    en: 'confirm has to be exactly the name of the app back-end.',
    fa: 'confirm باید دقیقاً نام بک‌اند باشد.',
  },
}

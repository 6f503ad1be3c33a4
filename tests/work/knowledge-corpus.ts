/** A small help centre of a shop, in Persian and English, and what people ask it. Each text is one source; each question names the one that answers it. */

export const corpus: Record<string, string> = {
  shipping: `# ارسال کالا
سفارش‌های تهران یک روزه و شهرستان‌ها سه تا پنج روز کاری ارسال می‌شوند. هزینهٔ پست برای خریدهای بالای ۵۰۰٬۰۰۰ تومان رایگان است.`,
  returns: `# مرجوعی و بازگشت وجه
تا هفت روز پس از تحویل می‌توانید کالا را برگردانید. وجه آن حداکثر ظرف ۷۲ ساعت به کارت بانکی خریدار واریز می‌شود.`,
  warranty: `# گارانتی
همهٔ گوشی‌های موبایل ۱۸ ماه گارانتی دارند. شکستگی صفحه و آب‌خوردگی شامل ضمانت نمی‌شود.`,
  payment: `# پرداخت
پرداخت آنلاین با همهٔ کارت‌های عضو شتاب انجام می‌شود. پرداخت در محل فقط در تهران و کرج ممکن است.`,
  installment: `# خرید قسطی
با چک صیادی می‌توان تا دوازده قسط خرید کرد. پیش‌پرداخت بیست درصد مبلغ کالاست.`,
  account: `# حساب کاربری
برای تغییر گذرواژه به بخش تنظیمات حساب بروید. اگر رمز عبور را فراموش کرده‌اید، پیامک بازیابی بفرستید.`,
  hours: `# ساعت کار پشتیبانی
پشتیبانی تلفنی شنبه تا چهارشنبه از ۹ صبح تا ۶ عصر پاسخ‌گوست. پنجشنبه‌ها فقط گفت‌وگوی آنلاین داریم.`,
  library: `# کتابخانهٔ مرکزی
هر عضو می‌تواند پنج كتاب را به مدت دو هفته امانت بگیرد. دیرکرد هر روز دو هزار تومان جریمه دارد.`,
  halfspace: `# راهنمای نگارش
نیم‌فاصله را میان جزء‌های واژه‌های مرکب می‌گذارند، مانند کتاب‌خانه و می‌شود. علامت‌های نقطه‌گذاری به واژهٔ پیش از خود می‌چسبند.`,
  nowruz: `# تعطیلات نوروز
فروشگاه از ۲۹ اسفند تا ۴ فروردین تعطیل است. سفارش‌های این روزها از پنجم فروردین پردازش می‌شوند.`,
  invoice: `# فاکتور رسمی
شرکت‌ها برای دریافت فاکتور رسمی باید شناسهٔ ملی و کد اقتصادی خود را ثبت کنند. مالیات بر ارزش افزوده ۱۰ درصد است.`,
  privacy: `# حریم خصوصی
نشانی و شماره تلفن مشتریان را به هیچ شرکت دیگری نمی‌دهیم. داده‌ها پس از سه سال پاک می‌شوند.`,
  jobs: `# همکاری با ما
برای استخدام، رزومهٔ خود را به نشانی رایانامهٔ منابع انسانی بفرستید. مصاحبه‌ها حضوری برگزار می‌گردد.`,
  saffron: `# زعفران قائنات
زعفران سرگل مرغوب‌ترین نوع زعفران ایران است و در جای خشک و تاریک تا دو سال می‌ماند.`,
  carpets: `# شستن فرش
فرش دست‌باف ابریشمی را هرگز با آب داغ نشویید؛ رنگ‌های طبیعی پس می‌دهند. قالی‌شویی سنتی بهترین راه است.`,
  gift: `# Gift cards
Gift cards are valid for one year and cannot be exchanged for cash. Lost cards are not replaced.`,
  api: `# API limits
Each API key may send 60 requests per minute. Beyond that the server answers with status 429 and a Retry-After header.`,
  webhooks: `# Webhooks
Deliveries are signed with HMAC-SHA256. Failed deliveries are retried six times with growing delays.`,
  backup: `# Backups
Databases are backed up every night at 02:30 UTC and kept for 35 days. Restoring one takes about an hour.`,
  vacation: `# Employee vacation policy
Employees accrue two days of paid vacation every month. Unused days carry over until the end of March.`,
}

export const questions: [string, string][] = [
  ['ارسال به شهرستان چند روز طول می‌کشد؟', 'shipping'],
  ['از چه مبلغی هزینه پست رایگان میشود', 'shipping'],
  ['ارسال رايگان براي خريد بالاي 500000 تومان', 'shipping'],
  ['چطور کالا را پس بدهم و پولم را بگیرم؟ مرجوعی', 'returns'],
  ['واریز وجه به کارت چند ساعت طول می کشد', 'returns'],
  ['گوشی موبایل چند ماه گارانتي دارد؟', 'warranty'],
  ['آیا شکستگی صفحه‌ی گوشی ضمانت دارد', 'warranty'],
  ['پرداخت در محل در کدام شهرها ممکن است؟', 'payment'],
  ['خرید اقساطی یا قسطی با چک', 'installment'],
  ['پیش پرداخت چند درصد است', 'installment'],
  ['رمز عبورم را فراموش کردم', 'account'],
  ['تغییر گذر واژه', 'account'],
  ['پشتیبانی تلفنی تا چه ساعتی پاسخگوست', 'hours'],
  ['پنج‌شنبه‌ها چه پشتیبانی دارید؟', 'hours'],
  ['چند کتاب می‌شود امانت گرفت؟', 'library'],
  ['جریمهٔ دیرکرد كتابها', 'library'],
  ['نیم فاصله کجا گذاشته می شود', 'halfspace'],
  ['فروشگاه در تعطيلات نوروز باز است؟', 'nowruz'],
  ['سفارش های ۲۹ اسفند کی پردازش می‌شود', 'nowruz'],
  ['برای فاکتور رسمی کد اقتصادی لازم است؟', 'invoice'],
  ['مالیات ارزش افزوده ۱۰ درصد', 'invoice'],
  ['آیا شماره تلفن مشتری را به شرکت دیگری می‌دهید؟', 'privacy'],
  ['رزومه را کجا بفرستم', 'jobs'],
  ['مرغوبترین زعفران کدام است', 'saffron'],
  ['فرش ابریشمی را چگونه بشوییم؟ با آب داغ؟', 'carpets'],
  ['Can I exchange a gift card for cash?', 'gift'],
  ['how many requests per minute can an API key send', 'api'],
  ['How are webhook deliveries signed?', 'webhooks'],
  ['How long are database backups kept?', 'backup'],
  ['how many vacation days do employees get each month', 'vacation'],
  ['"carry over"', 'vacation'],
  ['«پرداخت در محل»', 'payment'],
]

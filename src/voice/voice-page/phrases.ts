/** All phrases of the page of calls, in Persian and English side by side. */
import type { Language } from '#platform/errors'

type Phrases = Record<string, Record<Language, string>>

/** The phrases on the page when it is loaded. */
export const pagePhrases = {
  title: { fa: 'تماس صوتی', en: 'Voice' },
  lead: {
    fa: 'با هر مدلی که پروژه یا کلیدتان اجازه می‌دهد حرف بزنید. هزینه را در طول تماس می‌بینید و رسید هر تماس می‌ماند.',
    en: 'Talk to any model that your project or key allows. You see the cost while you talk, and each call leaves a receipt.',
  },
  console: { fa: 'کنسول خرد', en: 'Kherad console' },
  signInTitle: { fa: 'وارد شوید', en: 'Sign in' },
  signInHint: {
    fa: 'با نشست خودتان تماس بگیرید؛ هزینه از اعتبار پروژه‌ای برداشت می‌شود که برمی‌گزینید. کلید هم به کار می‌رود.',
    en: 'Call with your own session; the project that you choose pays. A key works, too.',
  },
  signIn: { fa: 'ورود', en: 'Sign in' },
  project: { fa: 'پروژه', en: 'Project' },
  noScript: {
    fa: 'این صفحه به JavaScript نیاز دارد.',
    en: 'This page needs JavaScript.',
  },
  key: { fa: 'یا با کلید', en: 'Or with a key' },
  keyHint: {
    fa: 'کلید فقط در حافظهٔ همین صفحه می‌ماند و با بستن آن فراموش می‌شود. برای هر تماس رمز کوتاه‌مدتی ساخته می‌شود که کار دیگری از آن برنمی‌آید.',
    en: 'The key stays in the memory of this page only and is forgotten when you close it. For each call it is changed for a secret that does nothing else and soon expires.',
  },
  useKey: { fa: 'ادامه', en: 'Continue' },
  otherKey: { fa: 'با کلید', en: 'Use a key' },
  forgetKey: { fa: 'فراموش کردن کلید', en: 'Forget the key' },
  keyInUse: { fa: 'کلید', en: 'Key' },
  settings: { fa: 'تنظیم تماس', en: 'Settings of the call' },
  model: { fa: 'مدل', en: 'Model' },
  voice: { fa: 'صدا', en: 'Voice' },
  agent: { fa: 'عامل', en: 'Agent' },
  keep: { fa: 'متن و صدای این تماس نگه داشته شود', en: 'Keep the words and the sound of this call' },
  keepHint: {
    fa: 'بدون آن هیچ‌کدام ذخیره نمی‌شود. آنچه نگه داشته شده در همین حساب خواندنی است و هر وقت بخواهید حذف می‌شود.',
    en: 'Without it neither is stored. What is kept can be read in this account, and deleted whenever you like.',
  },
  call: { fa: 'تماس', en: 'Call' },
  start: { fa: 'شروع تماس', en: 'Start talking' },
  cost: { fa: 'هزینه تا اینجا', en: 'Cost so far' },
  held: { fa: 'کنارگذاشته', en: 'Held' },
  time: { fa: 'مدت', en: 'Time' },
  transcript: { fa: 'متن تماس', en: 'Transcript' },
  calls: { fa: 'تماس‌های شما', en: 'Your calls' },
  callsHint: {
    fa: 'همهٔ تماس‌های این حساب، تازه‌ترین نخست.',
    en: 'All calls of this account, newest first.',
  },
  reload: { fa: 'تازه‌سازی', en: 'Refresh' },
  more: { fa: 'تماس‌های پیشین', en: 'Earlier calls' },
} as const satisfies Phrases

/** The phrases of its scripts. `{name}` is replaced. */
export const scriptPhrases = {
  start: { fa: 'شروع تماس', en: 'Start talking' },
  hangUp: { fa: 'پایان تماس', en: 'Hang up' },
  standardModel: { fa: 'پیش‌فرض سرویس', en: 'Default of the service' },
  standardVoice: { fa: 'صدای پیش‌فرض', en: 'Default voice' },
  noAgent: { fa: 'بدون عامل', en: 'No agent' },
  realtimeModels: { fa: 'مدل‌های تماس', en: 'Models for calls' },
  textModels: { fa: 'مدل‌های متنی', en: 'Text models' },
  female: { fa: 'زن', en: 'female' },
  male: { fa: 'مرد', en: 'male' },
  you: { fa: 'شما', en: 'You' },
  assistant: { fa: 'دستیار', en: 'Assistant' },
  unheard: { fa: '(شنیده نشد)', en: '(not understood)' },
  cut: { fa: 'قطع شد', en: 'interrupted' },
  stateIdle: { fa: 'آماده', en: 'Ready' },
  stateConnecting: { fa: 'در حال اتصال…', en: 'Connecting…' },
  stateListening: { fa: 'گوش می‌کنم', en: 'Listening' },
  stateCaller: { fa: 'شما حرف می‌زنید', en: 'You are speaking' },
  stateThinking: { fa: 'فکر می‌کنم…', en: 'Thinking…' },
  stateAssistant: { fa: 'دستیار حرف می‌زند', en: 'The assistant is speaking' },
  connected: { fa: 'تماس برقرار شد.', en: 'The call is connected.' },
  overSocket: {
    fa: 'اتصال WebRTC برقرار نشد؛ تماس از راه WebSocket ادامه دارد.',
    en: 'WebRTC did not connect; the call goes over a WebSocket.',
  },
  credits: { fa: '{number} اعتبار', en: '{number} credits' },
  warning: {
    fa: 'موجودی رو به پایان است؛ تماس به‌زودی قطع می‌شود.',
    en: 'The balance is almost used up; the call will end soon.',
  },
  expiring: {
    fa: 'زمان این تماس تا {number} ثانیهٔ دیگر به پایان می‌رسد.',
    en: 'The time of this call is over in {number} seconds.',
  },
  stopping: {
    fa: 'سرویس در حال خاموش شدن است؛ تماس حداکثر {number} ثانیهٔ دیگر پایان می‌یابد.',
    en: 'The service is stopping; the call ends within {number} seconds.',
  },
  // The reasons for the end of a call.
  ended_client: { fa: 'تماس پایان یافت.', en: 'The call has ended.' },
  ended_idle: {
    fa: 'تماس پایان یافت، چون مدتی کسی حرفی نزد.',
    en: 'The call has ended, since nobody had spoken for a while.',
  },
  ended_expired: { fa: 'زمان تماس به پایان رسید.', en: 'The time of the call is over.' },
  ended_credits: {
    fa: 'موجودی به پایان رسید و تماس قطع شد. حساب را شارژ کنید و دوباره تماس بگیرید.',
    en: 'The balance is used up, so the call has ended. Add credits and call again.',
  },
  ended_disconnected: {
    fa: 'ارتباط قطع شد. شبکه را بررسی کنید و دوباره تماس بگیرید.',
    en: 'The connection was lost. Check the network and call again.',
  },
  ended_failed: {
    fa: 'تماس به‌سبب خطایی در سرویس پایان یافت. دوباره تماس بگیرید.',
    en: 'The call has ended because something failed at the service. Call again.',
  },
  ended_revoked: {
    fa: 'نشست یا کلید پایان یافته است، پس تماس قطع شد. دوباره وارد شوید یا کلید دیگری به کار ببرید.',
    en: 'The session or the key has ended, and with it the call. Sign in again or use another key.',
  },
  ended_stopped: {
    fa: 'سرویس خاموش شد و تماس پایان یافت. چند دقیقهٔ دیگر دوباره تماس بگیرید.',
    en: 'The service was stopped, so the call has ended. Call again in some minutes.',
  },
  // The obstacles to a call.
  insecure: {
    fa: 'مرورگر در این نشانی میکروفون نمی‌دهد، چون صفحه با HTTPS باز نشده است. روی همان دستگاهی که سرویس اجرا می‌شود نشانی {local} را باز کنید، یا از گردانندهٔ سرویس بخواهید HTTPS را روشن کند.',
    en: 'The browser gives no microphone at this address, since the page did not come over HTTPS. On the machine that runs the service open {local}, or ask its operator to turn on HTTPS.',
  },
  insecureGuide: { fa: 'راهنمای تماس صوتی', en: 'Guide to voice calls' },
  micDenied: {
    fa: 'اجازهٔ میکروفون داده نشد. در تنظیمات مرورگر برای این صفحه آن را روشن کنید و دوباره دکمه را بزنید.',
    en: 'The microphone was not allowed. Allow it for this page in the settings of the browser and press the button again.',
  },
  micMissing: {
    fa: 'میکروفونی پیدا نشد. یکی را وصل کنید و دوباره دکمه را بزنید.',
    en: 'No microphone was found. Connect one and press the button again.',
  },
  micBusy: {
    fa: 'میکروفون باز نشد؛ شاید برنامهٔ دیگری آن را گرفته باشد. آن برنامه را ببندید و دوباره دکمه را بزنید.',
    en: 'The microphone could not be opened; another program may use it. Close that program and press the button again.',
  },
  offline: {
    fa: 'سرویس پاسخ نمی‌دهد. شبکه را بررسی کنید و دوباره بکوشید.',
    en: 'The service does not answer. Check the network and try again.',
  },
  notOpened: {
    fa: 'تماس باز نشد: شاید همهٔ جاها پر باشد یا شبکه WebSocket را عبور ندهد. چند ثانیهٔ دیگر دوباره بکوشید.',
    en: 'The call could not be opened: all places may be taken, or the network lets no WebSocket through. Try again in some seconds.',
  },
  noSound: {
    fa: 'مرورگر نتوانست صدا را آماده کند. مرورگر تازه‌تری به کار ببرید.',
    en: 'The browser could not prepare the sound. Use a newer browser.',
  },
  keyMissing: { fa: 'کلید را بنویسید؛ با khr_ آغاز می‌شود.', en: 'Type a key; it begins with khr_.' },
  error_INVALID_API_KEY: {
    fa: 'این کلید درست نیست یا لغو شده است. کلید دیگری بنویسید.',
    en: 'This key is wrong or was revoked. Type another one.',
  },
  error_NOT_SIGNED_IN: {
    fa: 'نشست شما پایان یافته است. صفحه را تازه کنید و دوباره وارد شوید.',
    en: 'Your session has ended. Reload the page and sign in again.',
  },
  noProject: {
    fa: 'وارد شده‌اید، ولی هنوز پروژه‌ای ندارید. از مالک حساب دعوت بخواهید، یا کلیدی بنویسید.',
    en: 'You have signed in and have no project yet. Ask the owner of an account for an invitation, or type a key.',
  },
  error_INSUFFICIENT_SCOPE: {
    fa: 'این کلید اجازهٔ تماس ندارد؛ دسترسی audio:write لازم است.',
    en: 'This key may not call; it needs the scope audio:write.',
  },
  error_INSUFFICIENT_CREDITS: {
    fa: 'موجودی برای شروع تماس کافی نیست. حساب را شارژ کنید.',
    en: 'The balance is too low to begin a call. Add credits.',
  },
  error_VOICE_BUSY: {
    fa: 'همهٔ جاهای تماس پر است. چند ثانیهٔ دیگر دوباره بکوشید.',
    en: 'All places for calls are taken. Try again in some seconds.',
  },
  error_CONCURRENCY_LIMITED: {
    fa: 'با این کلید تماس‌های دیگری در جریان است. یکی را پایان دهید و دوباره بکوشید.',
    en: 'Other calls of this key are under way. End one of them and try again.',
  },
  error_MODEL_NOT_ALLOWED: {
    fa: 'این کلید اجازهٔ یکی از مدل‌های این تماس را ندارد. مدل دیگری برگزینید.',
    en: 'This key may not use one of the models of this call. Choose another model.',
  },
  noModels: {
    fa: 'فهرست مدل‌ها در دسترس نیست (models:read)؛ تماس با مدل پیش‌فرض برقرار می‌شود.',
    en: 'Models may not be listed (models:read); the call uses the default one.',
  },
  // The list of calls.
  noCalls: { fa: 'هنوز تماسی نیست.', en: 'No calls yet.' },
  receipt: { fa: 'رسید', en: 'Receipt' },
  receiptOf: { fa: 'رسید تماس {date}', en: 'Receipt of the call of {date}' },
  kept: { fa: 'متن و صدا', en: 'Words and sound' },
  keptOf: { fa: 'متن و صدای تماس {date}', en: 'Words and sound of the call of {date}' },
  transcript: { fa: 'متن تماس', en: 'Transcript' },
  noWords: { fa: 'متنی نگه داشته نشده است.', en: 'No words were kept.' },
  soundLost: { fa: 'صدای این تماس نگه داشته نشد.', en: 'The sound of this call could not be kept.' },
  listen: { fa: 'شنیدن', en: 'Listen' },
  forgetCall: { fa: 'حذف متن و صدا', en: 'Delete words and sound' },
  forgetSure: {
    fa: 'متن و صدای این تماس برای همیشه حذف شود؟ رسید می‌ماند.',
    en: 'Delete the words and the sound of this call for good? The receipt stays.',
  },
  noReceipt: {
    fa: 'این کلید رسید را نمی‌بیند؛ دسترسی usage:read لازم است.',
    en: 'This key may not read receipts; it needs the scope usage:read.',
  },
  active: { fa: 'در جریان', en: 'under way' },
  pending: { fa: 'در حال تسویه', en: 'being settled' },
  turns: { fa: '{number} پاسخ', en: '{number} answers' },
  oneTurn: { fa: '{number} پاسخ', en: '{number} answer' },
  total: { fa: 'جمع', en: 'Total' },
  discarded: { fa: 'به کار نرفت', en: 'not used' },
  ambiguous: { fa: 'مبلغ نامعلوم، حداکثر', en: 'not known, at most' },
  steps: { fa: '{number} بار', en: '{number} times' },
  step_transcription: { fa: 'نوشتن گفتار', en: 'Transcription' },
  step_text: { fa: 'پاسخ مدل', en: 'Answer' },
  step_speech: { fa: 'گفتن پاسخ', en: 'Speech' },
  step_response: { fa: 'پاسخ صوتی', en: 'Spoken answer' },
  step_seconds: { fa: 'زمان تماس', en: 'Time of the call' },
  step_embedding: { fa: 'جست‌وجوی دانش', en: 'Knowledge search' },
  quantity_seconds: { fa: '{number} ثانیه', en: '{number} s' },
  quantity_characters: { fa: '{number} کاراکتر', en: '{number} characters' },
  quantity_input_tokens: { fa: '{number} توکن ورودی', en: '{number} input tokens' },
  quantity_cached_input_tokens: { fa: '{number} توکن ورودی از حافظه', en: '{number} cached input tokens' },
  quantity_output_tokens: { fa: '{number} توکن خروجی', en: '{number} output tokens' },
  quantity_reasoning_tokens: { fa: '{number} توکن استدلال', en: '{number} reasoning tokens' },
} as const satisfies Phrases

/** The phrases of one language, by name. */
export const inLanguage = (phrases: Phrases, language: Language): Record<string, string> =>
  Object.fromEntries(Object.entries(phrases).map(([name, pair]) => [name, pair[language]]))

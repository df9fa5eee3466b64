; A pointer to virtual functions that is written in a loop: its value is part of the check, which stays.
; expect construct: __tsan_vptr_update 1, in_loop 1
target triple = "x86_64-pc-linux-gnu"

define void @construct(ptr %object, ptr %tables, ptr %sink, i64 %n) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %where = getelementptr ptr, ptr %tables, i64 %i
  %table = load volatile ptr, ptr %where
  store ptr %table, ptr %object, !tbaa !0
  %seen = load volatile i64, ptr %sink
  %next = add i64 %i, 1
  %done = icmp uge i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}

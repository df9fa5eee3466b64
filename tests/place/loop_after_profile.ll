; [loop after] by a profile: a text of 40 bytes each time is checked after the loop; two words each time stay in it.
; expect long_text: __pf_reads 1, reads 0, in_loop 0
; expect short_search: __pf_reads 0, reads 1, in_loop 1
target triple = "x86_64-pc-linux-gnu"

define i64 @long_text(ptr %text, i8 %last) sanitize_thread mustprogress !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %where = getelementptr i8, ptr %text, i64 %i
  %byte = load i8, ptr %where
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i8 %byte, %last
  br i1 %done, label %out, label %loop, !prof !1
out:
  ret i64 %i
}

define i64 @short_search(ptr %words, i32 %last) sanitize_thread mustprogress !prof !0 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %where = getelementptr i32, ptr %words, i64 %i
  %word = load i32, ptr %where
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i32 %word, %last
  br i1 %done, label %out, label %loop, !prof !2
out:
  ret i64 %i
}

!0 = !{!"function_entry_count", i64 1000}
!1 = !{!"branch_weights", i32 1000, i32 39000}
!2 = !{!"branch_weights", i32 1000, i32 1000}
